//! The search path of the user's login shell, and other variables that the configuration names. Hosts with a window start programs with a shorter
//! path, in which the programs that `nvm`, `asdf` or `brew` have installed are not found.

use mgp_store::private_file::{PrivateFile, make_private_folder};
use serde::{Deserialize, Serialize};
use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    io::Read,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, SystemTime},
};

/// The time limit for the shell.
const LIMIT: Duration = Duration::from_secs(3);
/// The time for which a path is kept.
const KEPT: Duration = Duration::from_hours(24);
/// The most that is read of the shell's output, in bytes.
const MAX_OUTPUT: u64 = 1 << 20;
/// The line before and after each value: the user's files may print text of their own.
const MARK: &str = "mgp-8d1f6c0e-path";

/// The files that set the search path, in the home folder or by their whole path. A change of one of them ends the use of a kept path.
const FILES: [&str; 13] = [
    "/etc/environment",
    "/etc/paths",
    "/etc/profile",
    "/etc/zshenv",
    ".bash_profile",
    ".bashrc",
    ".config/fish/config.fish",
    ".config/fish/fish_variables",
    ".profile",
    ".zlogin",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// A path, kept in the state folder because some shells take seconds to start.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct KeptPath {
    path: String,
    shell: PathBuf,
    /// The times of the last changes of the files.
    files: Vec<Option<SystemTime>>,
    since: SystemTime,
}

/// The variables of a login shell. Their values may be secrets.
pub(crate) struct ShellVariables {
    pub(crate) path: String,
    /// The other variables that were asked for and are set.
    pub(crate) others: Vec<(String, String)>,
}

/// Returns the variables that the gateway gets from the login shell: the search path of this process with the folders that only the shell's has,
/// and the named ones. Empty if the shell does not answer in time. Blocks the thread.
pub(super) fn for_gateway(state: &Path, names: &[String]) -> Vec<(String, OsString)> {
    let (Some(shell), Some(home)) = (shell(), env::var_os("HOME").map(PathBuf::from)) else {
        return Vec::new();
    };
    let own = env::var_os("PATH").unwrap_or_default();
    let Some(ShellVariables { path, others }) = kept_or_asked(state, &home, shell, names, SystemTime::now())
    else {
        return Vec::new();
    };
    let path = joined(&own, &path).map(|path| ("PATH".to_owned(), path));
    path.into_iter().chain(others.into_iter().map(|(name, value)| (name, value.into()))).collect()
}

/// Asks the login shell for its path and the named variables, and keeps nothing. Blocks the thread.
pub(crate) fn login_shell(names: &[String]) -> Option<ShellVariables> {
    ask(&shell()?, names, LIMIT)
}

fn shell() -> Option<PathBuf> {
    env::var_os("SHELL").map(PathBuf::from).filter(|shell| shell.is_absolute())
}

/// Returns the shell's variables. Only the path is kept, because other values may be secrets; while it holds, a shell that is asked for no others
/// is not started.
fn kept_or_asked(
    state: &Path,
    home: &Path,
    shell: PathBuf,
    names: &[String],
    now: SystemTime,
) -> Option<ShellVariables> {
    let file = state.join("shell-path.json");
    let files: Vec<_> = FILES
        .iter()
        .map(|name| fs::metadata(home.join(name)).and_then(|found| found.modified()).ok())
        .collect();
    let kept = fs::read(&file).ok().and_then(|text| serde_json::from_slice::<KeptPath>(&text).ok());
    let kept = kept.filter(|kept| {
        (&kept.shell, &kept.files) == (&shell, &files)
            && now.duration_since(kept.since).is_ok_and(|age| age < KEPT)
    });
    let of_kept = |kept: KeptPath| ShellVariables { path: kept.path, others: Vec::new() };
    if names.is_empty() && kept.is_some() {
        return kept.map(of_kept);
    }
    let Some(asked) = ask(&shell, names, LIMIT) else { return kept.map(of_kept) };
    let kept = KeptPath { path: asked.path.clone(), shell, files, since: now };
    let written = make_private_folder(state)
        .and_then(|()| PrivateFile::new(&file).replace(&serde_json::to_vec(&kept)?));
    if let Err(error) = written {
        tracing::debug!(%error, "the path of the login shell is not kept");
    }
    Some(asked)
}

/// Asks a login shell for its path and the named variables. The configuration has checked that the names are words.
fn ask(shell: &Path, names: &[String], limit: Duration) -> Option<ShellVariables> {
    let all = || std::iter::once("PATH").chain(names.iter().map(String::as_str));
    let print: String = all().map(|name| format!("; printenv {name}; echo {MARK}")).collect();
    let mut asked = Command::new(shell)
        .args(["-i", "-l", "-c", &format!("echo {MARK}{print}")])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .ok()?;
    let stdout = asked.stdout.take()?;
    let (send, output) = mpsc::channel();
    let count = names.len() + 1;
    thread::spawn(move || {
        let mut text = Vec::new();
        // A program that the shell's files leave running keeps the pipe open, so the end is not awaited.
        let mut reader = std::io::BufReader::new(stdout.take(MAX_OUTPUT));
        while std::io::BufRead::read_until(&mut reader, b'\n', &mut text).is_ok_and(|count| count > 0) {
            if text.ends_with(format!("{MARK}\n").as_bytes())
                && let Some(values) = marked(&String::from_utf8_lossy(&text), count)
            {
                let _ = send.send(values);
                return;
            }
        }
    });
    let values = output.recv_timeout(limit).ok();
    if let Some(group) = rustix::process::Pid::from_raw(i32::try_from(asked.id()).unwrap_or_default()) {
        // It has ended, except a shell that is stuck.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = asked.wait();
    let mut values = values?.into_iter();
    let path = values.next()??;
    let others = names.iter().cloned().zip(values).filter_map(|(name, value)| Some((name, value?)));
    Some(ShellVariables { path, others: others.collect() })
}

/// Returns the texts between marks, of which there must be a number. A variable that is not set has none.
fn marked(output: &str, count: usize) -> Option<Vec<Option<String>>> {
    let mark = format!("{MARK}\n");
    let parts: Vec<_> = output.split(&mark).skip(1).collect();
    // After the last mark comes another part.
    let values = parts.get(..count).filter(|_| parts.len() > count)?;
    // A value that is not text would be another one.
    let value = |value: &&str| {
        value.strip_suffix('\n').filter(|value| !value.contains('\u{fffd}')).map(str::to_owned)
    };
    Some(values.iter().map(value).collect())
}

/// Returns a path with the folders that only another one has at its end; `None` if there are none.
fn joined(own: &OsStr, other: &str) -> Option<OsString> {
    let mut folders: Vec<PathBuf> = env::split_paths(own).collect();
    let before = folders.len();
    for folder in env::split_paths(other).filter(|folder| folder.is_absolute()) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    (folders.len() > before).then(|| env::join_paths(folders).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    /// Creates a shell that runs a script before the command.
    fn shell(folder: &Path, script: &str) -> PathBuf {
        let path = folder.join("shell");
        fs::write(&path, format!("#!/bin/sh\n{script}\neval \"$4\"\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        path
    }

    #[test]
    fn the_path_of_a_shell_is_found_among_other_output() {
        let folder = tempfile::tempdir().unwrap();
        let chatty =
            shell(folder.path(), "echo Welcome, PATH=/no; export PATH=\"$PATH:/opt/a b/bin\"; sleep 1000 &");
        assert!(ask(&chatty, &[], LIMIT).unwrap().path.ends_with(":/opt/a b/bin"));
        let failing = shell(folder.path(), "exit 1");
        assert!(ask(&failing, &[], LIMIT).is_none());
        let stuck = shell(folder.path(), "sleep 1000");
        assert!(ask(&stuck, &[], Duration::ZERO).is_none());
        assert!(ask(Path::new("/nonexistent"), &[], LIMIT).is_none());
    }

    #[test]
    fn only_the_named_variables_of_a_shell_are_read_and_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let script = "export A='1\n2' EMPTY= OTHER=hush BYTES=$(printf '\\377'); unset UNSET; echo A=no";
        let names = ["A", "EMPTY", "UNSET", "BYTES"].map(str::to_owned);
        let home = folder.path();
        let asked = |names: &[String]| {
            kept_or_asked(home, home, shell(home, script), names, SystemTime::now()).unwrap().others
        };
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(asked(&names), [pair("A", "1\n2"), pair("EMPTY", "")]);
        let kept = fs::read_to_string(home.join("shell-path.json")).unwrap();
        assert!(!kept.contains("EMPTY") && !kept.contains("1\\n2"), "{kept}");
        assert_eq!((asked(&[]), asked(&names[1..2])), (vec![], vec![pair("EMPTY", "")]));
    }

    #[test]
    fn a_path_is_kept_until_a_file_changes_or_it_is_old() {
        let folder = tempfile::tempdir().unwrap();
        let (home, now) = (folder.path(), SystemTime::now());
        let asked = |value: &str, now| {
            let shell = shell(home, &format!("export PATH=$PATH:{value}"));
            kept_or_asked(home, home, shell, &[], now).unwrap().path
        };
        assert!(asked("/one", now).ends_with(":/one"));
        assert!(asked("/two", now + KEPT / 2).ends_with(":/one"));
        assert!(asked("/two", now + KEPT).ends_with(":/two"));
        fs::write(home.join(".profile"), "").unwrap();
        assert!(asked("/three", now + KEPT).ends_with(":/three"));
    }

    #[test]
    fn only_missing_folders_are_added() {
        let joined = |own: &str, other| joined(own.as_ref(), other).map(|path| path.into_string().unwrap());
        assert_eq!(joined("/a:/b", "/b:/c:relative:/a:/d").as_deref(), Some("/a:/b:/c:/d"));
        assert_eq!(joined("/a:/b", "/b:/a"), None);
    }
}

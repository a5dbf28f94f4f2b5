//! The search path of the user's login shell. Hosts with a window start programs with a shorter one, in which the programs that `nvm`, `asdf` or
//! `brew` have installed are not found.

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
/// The line before and after the path: the user's files may print text of their own.
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

/// Returns the search path for the gateway: that of this process, and the folders that only the login shell's has. Returns `None` if the shell
/// adds none, or does not answer in time. Blocks the thread.
pub(super) fn search_path(state: &Path) -> Option<OsString> {
    let shell = env::var_os("SHELL").map(PathBuf::from).filter(|shell| shell.is_absolute())?;
    let home = env::var_os("HOME").map(PathBuf::from)?;
    let own = env::var_os("PATH").unwrap_or_default();
    joined(&own, &kept_or_asked(state, &home, shell, SystemTime::now())?)
}

/// Asks the login shell for its path, and keeps nothing. Blocks the thread.
pub(crate) fn login_shell_path() -> Option<OsString> {
    let shell = env::var_os("SHELL").map(PathBuf::from).filter(|shell| shell.is_absolute())?;
    ask(&shell, LIMIT).map(OsString::from)
}

/// Returns the shell's path: the kept one while it holds, otherwise the answer of the shell.
fn kept_or_asked(state: &Path, home: &Path, shell: PathBuf, now: SystemTime) -> Option<String> {
    let file = state.join("shell-path.json");
    let files: Vec<_> = FILES
        .iter()
        .map(|name| fs::metadata(home.join(name)).and_then(|found| found.modified()).ok())
        .collect();
    if let Ok(text) = fs::read(&file)
        && let Ok(kept) = serde_json::from_slice::<KeptPath>(&text)
        && (&kept.shell, &kept.files) == (&shell, &files)
        && now.duration_since(kept.since).is_ok_and(|age| age < KEPT)
    {
        return Some(kept.path);
    }
    let path = ask(&shell, LIMIT)?;
    let kept = KeptPath { path, shell, files, since: now };
    let written = make_private_folder(state)
        .and_then(|()| PrivateFile::new(&file).replace(&serde_json::to_vec(&kept)?));
    if let Err(error) = written {
        tracing::debug!(%error, "the path of the login shell is not kept");
    }
    Some(kept.path)
}

/// Asks a login shell for its path.
fn ask(shell: &Path, limit: Duration) -> Option<String> {
    let print = format!("echo {MARK}; printenv PATH; echo {MARK}");
    let mut asked = Command::new(shell)
        .args(["-i", "-l", "-c", &print])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .ok()?;
    let stdout = asked.stdout.take()?;
    let (send, output) = mpsc::channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        // A program that the shell's files leave running keeps the pipe open, so the end is not awaited.
        let mut reader = std::io::BufReader::new(stdout.take(MAX_OUTPUT));
        while std::io::BufRead::read_until(&mut reader, b'\n', &mut text).is_ok_and(|count| count > 0) {
            if let Some(path) = marked(&String::from_utf8_lossy(&text)) {
                let _ = send.send(path);
                return;
            }
        }
    });
    let path = output.recv_timeout(limit).ok();
    if let Some(group) = rustix::process::Pid::from_raw(i32::try_from(asked.id()).unwrap_or_default()) {
        // It has ended, except a shell that is stuck.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = asked.wait();
    path
}

/// Returns the text between two marks.
fn marked(output: &str) -> Option<String> {
    let (_, rest) = output.split_once(&format!("{MARK}\n"))?;
    let (path, _) = rest.split_once(&format!("{MARK}\n"))?;
    Some(path.trim_end().to_owned())
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
        assert!(ask(&chatty, LIMIT).unwrap().ends_with(":/opt/a b/bin"));
        let failing = shell(folder.path(), "exit 1");
        assert_eq!(ask(&failing, LIMIT), None);
        let stuck = shell(folder.path(), "sleep 1000");
        assert_eq!(ask(&stuck, Duration::ZERO), None);
        assert_eq!(ask(Path::new("/nonexistent"), LIMIT), None);
    }

    #[test]
    fn a_path_is_kept_until_a_file_changes_or_it_is_old() {
        let folder = tempfile::tempdir().unwrap();
        let (home, now) = (folder.path(), SystemTime::now());
        let asked = |value: &str, now| {
            kept_or_asked(home, home, shell(home, &format!("export PATH=$PATH:{value}")), now).unwrap()
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

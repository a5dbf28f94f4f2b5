//! The machine: its clock, its disk, and the login shell.

use super::{
    context::{Context, word},
    finding::{Finding, Kind, Remedy},
};
use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// The time by which a file may be ahead of the clock, for example of a file server.
const TOLERANCE: Duration = Duration::from_secs(300);

/// The most files whose times are looked at.
const MAX_FILES: usize = 1000;

pub(super) fn check(context: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(check_clock(context));
    #[cfg(unix)]
    findings.extend(check_disk(context));
    if context.shell_path.is_none()
        && let Some(shell) = context.environment.variable("SHELL").filter(|_| cfg!(unix))
    {
        let problem = format!(
            "the login shell {shell} does not report its PATH within 3 s, so a host with a window may start servers that are not found"
        );
        let command = format!("time {} -ilc true", word(Path::new(shell)));
        findings.push(Finding::new(Kind::ShellSilent, problem, Remedy::Command(command)));
    }
    findings.extend(context.unset_in_shell.iter().map(|name| {
        let problem = format!("the login shell does not set {name}, so the gateway starts without it");
        Finding::new(Kind::ShellVariable, problem, Remedy::Key("kernel.environment".to_owned()))
    }));
    findings
}

/// Returns the search path of the user's login shell, and those of the names that it does not set; `None` if there is no shell, or no answer.
pub(super) fn shell(names: &[String]) -> Option<(OsString, Vec<String>)> {
    #[cfg(unix)]
    {
        let crate::gateway::ShellVariables { path, others } = crate::gateway::login_shell(names)?;
        let is_unset = |name: &&String| others.iter().all(|(known, _)| known != *name);
        Some((path.into(), names.iter().filter(is_unset).cloned().collect()))
    }
    #[cfg(not(unix))]
    {
        let _ = names;
        None
    }
}

/// Compares the clock with the times of this program's files.
fn check_clock(context: &Context) -> Option<Finding> {
    let now = SystemTime::now();
    let of_state = context.state.iter().flat_map(|state| fs::read_dir(state).into_iter().flatten());
    let of_state = of_state.filter_map(|entry| Some(entry.ok()?.path())).take(MAX_FILES);
    let others = [Some(context.program.clone()), context.file.as_ref().map(|file| file.path.clone())];
    let files = others.into_iter().flatten().chain(of_state);
    let time = |path: &PathBuf| path.symlink_metadata().and_then(|found| found.modified()).ok();
    let (latest, path) = files.filter_map(|path| Some((time(&path)?, path))).max_by_key(|(time, _)| *time)?;
    let ahead = latest.duration_since(now).ok().filter(|ahead| *ahead > TOLERANCE)?;
    let problem = format!(
        "the clock is behind: {} was written {} from now, and grants, tokens and certificates depend on the time",
        path.display(),
        in_words(ahead)
    );
    let remedy = Remedy::Command("sudo timedatectl set-ntp true".to_owned());
    Some(Finding::new(Kind::ClockBehind, problem, remedy))
}

fn in_words(time: Duration) -> String {
    let (minutes, hours, days) = (time.as_secs() / 60, time.as_secs() / 3600, time.as_secs() / 86400);
    match (days, hours) {
        (0, 0) => format!("{minutes} min"),
        (0, _) => format!("{hours} h"),
        _ => format!("{days} days"),
    }
}

/// The least free space that the state needs, in bytes, and the least number of free files.
#[cfg(unix)]
const LEAST: (u64, u64) = (100 * 1024 * 1024, 1000);

/// Checks the free space of the state folder's file system.
#[cfg(unix)]
fn check_disk(context: &Context) -> Option<Finding> {
    let folder = context.state.as_ref()?.ancestors().find(|folder| folder.is_dir())?;
    let found = rustix::fs::statvfs(folder).ok()?;
    // Some file systems do not count files.
    let files = if found.f_files == 0 { u64::MAX } else { found.f_favail };
    of_space(folder, found.f_bavail.saturating_mul(found.f_frsize), files)
}

#[cfg(unix)]
fn of_space(folder: &Path, bytes: u64, files: u64) -> Option<Finding> {
    let left = match (bytes < LEAST.0, files < LEAST.1) {
        (true, _) => format!("{} MiB", bytes / 1024 / 1024),
        (false, true) => format!("{files} files"),
        (false, false) => return None,
    };
    let problem = format!(
        "the file system of {} has room for only {left}; without room for the audit trail, no call is made",
        folder.display()
    );
    let remedy = Remedy::Command(format!("du -xh --max-depth=2 {} | sort -h | tail", word(folder)));
    Some(Finding::new(Kind::DiskFull, problem, remedy))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_found_by_its_space_and_its_files() {
        let line = |bytes, files| of_space(Path::new("/s"), bytes, files).map(|finding| finding.line());
        assert_eq!(line(LEAST.0, LEAST.1), None);
        assert!(line(5 << 20, 1 << 20).unwrap().contains("only 5 MiB"));
        assert!(line(1 << 40, 7).unwrap().contains("only 7 files"));
    }
}

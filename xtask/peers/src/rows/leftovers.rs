//! Finds processes that outlive their row: every process of a row works in the row's folder.

use std::{fs, path::Path, process::Stdio, time::Duration};
use tokio::{process::Command, time::Instant};

/// The time for processes to end after their row.
const GRACE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(50);

/// A process that is still running.
#[derive(Debug)]
struct Leftover {
    pid: u32,
    command: String,
}

/// Waits for the row's processes to end, and kills those that do not. Returns an error that names those.
pub(super) async fn sweep(folder: &Path) -> Result<(), String> {
    sweep_within(folder, GRACE).await
}

/// Ends every process of every row after an interruption of the run.
pub(crate) async fn end_all(folder: &Path) -> Result<(), String> {
    let Ok(folder) = folder.canonicalize() else { return Ok(()) };
    for process in in_folder(&folder) {
        signal("TERM", process.pid).await;
    }
    sweep(&folder).await
}

async fn sweep_within(folder: &Path, grace: Duration) -> Result<(), String> {
    let end = Instant::now() + grace;
    loop {
        let left = in_folder(folder);
        if left.is_empty() {
            return Ok(());
        }
        if Instant::now() > end {
            for process in &left {
                signal("KILL", process.pid).await;
            }
            let commands: Vec<_> = left.iter().map(|process| process.command.as_str()).collect();
            return Err(format!("left processes behind: {}", commands.join("; ")));
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Returns the processes that work in a folder or below it. Only Linux shows this; elsewhere none are found.
fn in_folder(folder: &Path) -> Vec<Leftover> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let inside = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
        if inside && pid != std::process::id() {
            let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            found.push(Leftover { pid, command: command.trim().to_owned() });
        }
    }
    found
}

/// Sends a signal by its name. A process that has ended meanwhile needs none.
pub(crate) async fn signal(name: &str, pid: u32) {
    let mut kill = Command::new("kill");
    kill.args([format!("-{name}"), pid.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = kill.status().await;
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use tokio::process::Child;
    use xtask_testing::until;

    /// Makes a folder, and starts a process that works below it.
    async fn sleeping(name: &str) -> (PathBuf, Child) {
        let folder = std::env::temp_dir().join(format!("mgp-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("below")).unwrap();
        let folder = folder.canonicalize().unwrap();
        let mut sleep = Command::new("sleep");
        let child = sleep.arg("60").current_dir(folder.join("below")).kill_on_drop(true).spawn().unwrap();
        // The new process changes its folder before it becomes `sleep`.
        until(|| in_folder(&folder).iter().any(|process| process.command.starts_with("sleep"))).await;
        (folder, child)
    }

    #[tokio::test]
    async fn only_processes_working_in_the_folder_are_found() {
        let (folder, mut child) = sleeping("found").await;
        let find = || in_folder(&folder).into_iter().map(|process| process.pid).collect::<Vec<_>>();
        assert_eq!(find(), [child.id().unwrap()]);
        signal("KILL", child.id().unwrap()).await;
        child.wait().await.unwrap();
        assert_eq!(find(), Vec::<u32>::new());
        fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn a_process_that_is_left_is_named_and_killed() {
        let (folder, mut child) = sleeping("left").await;
        let error = sweep_within(&folder, Duration::ZERO).await.unwrap_err();
        assert_eq!(error, "left processes behind: sleep 60");
        assert!(!child.wait().await.unwrap().success());
        assert_eq!(sweep_within(&folder, Duration::ZERO).await, Ok(()));
        fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn an_interrupted_run_asks_its_processes_to_end() {
        let (folder, mut child) = sleeping("interrupted").await;
        let (ended, swept) = tokio::join!(child.wait(), end_all(&folder));
        assert!(!ended.unwrap().success());
        assert_eq!(swept, Ok(()));
        fs::remove_dir_all(folder).unwrap();
    }
}

//! Processes that end at once and are not started by the kernel.

use crate::bad_servers;
use std::{
    process::{Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::Duration,
};

/// The pause between two processes: the kernel starts about ten bad servers a second.
const PAUSE: Duration = Duration::from_millis(90);

/// A thread that starts processes until it is stopped.
#[derive(Debug)]
pub(super) struct ProcessStarter {
    stop: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl ProcessStarter {
    /// Starts the thread.
    pub(super) fn start() -> Self {
        let (stop, stopped) = mpsc::channel();
        let thread = thread::spawn(move || {
            while stopped.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = start_one() {
                    eprintln!("a process of the comparison did not start: {error}");
                }
            }
        });
        Self { stop, thread }
    }

    /// Stops the thread, and waits for its last process.
    pub(super) fn stop(self) {
        drop(self.stop);
        let _ = self.thread.join();
    }
}

/// Runs one process to its end.
fn start_one() -> std::io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--child", &bad_servers::that_ends_at_once().number().to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().map(drop)
}

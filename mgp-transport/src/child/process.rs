//! A server's process, from its start to the end of its last grandchild.

#[cfg(target_os = "linux")]
use super::left_behind::RunMark;
use super::stderr::StderrTail;
use crate::seam::SetupInChild;
use process_wrap::tokio::ChildWrapper;
use std::{fmt, io, process::ExitStatus, sync::Arc, time::Duration};

/// A server's process. Dropping it kills the process and everything that it started.
pub struct ChildProcess {
    server_id: String,
    child: Box<dyn ChildWrapper>,
    last_words: StderrTail,
    /// The setup of the process, which may serve it for as long as it runs.
    setup: Option<Arc<dyn SetupInChild>>,
    /// True once all processes that the process left behind have ended.
    is_ended: bool,
    /// The name that finds processes that left the group; `None` if they are not searched for, or already were.
    #[cfg(target_os = "linux")]
    run: Option<RunMark>,
}

/// The time limits of the steps that end a process.
#[derive(Debug, Clone, Copy)]
pub struct Grace {
    /// The time between the end of its stdin and SIGTERM.
    pub stdin: Duration,
    /// The time between SIGTERM and SIGKILL.
    pub terminate: Duration,
}

impl Default for Grace {
    fn default() -> Self {
        Self { stdin: Duration::from_secs(2), terminate: Duration::from_secs(2) }
    }
}

/// The most lines of stderr that a report quotes.
const TOLD: usize = 5;

impl ChildProcess {
    pub(super) fn new(
        server_id: String,
        child: Box<dyn ChildWrapper>,
        last_words: StderrTail,
        setup: Option<Arc<dyn SetupInChild>>,
    ) -> Self {
        Self {
            server_id,
            child,
            last_words,
            setup,
            is_ended: false,
            #[cfg(target_os = "linux")]
            run: None,
        }
    }

    /// Sets the name of the process's run, so that processes that leave its group are found at its end.
    #[cfg(target_os = "linux")]
    pub(super) fn named(mut self, run: RunMark) -> Self {
        self.run = Some(run);
        self
    }

    /// Stops tracking processes that leave the group: the setup may end them.
    pub(super) fn leave_run(&mut self) {
        #[cfg(target_os = "linux")]
        {
            self.run = None;
        }
    }

    /// Returns the process id; `None` once the process has ended.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Returns the last lines that the process wrote to stderr, for an error that explains why it ended.
    #[must_use]
    pub fn last_words(&self) -> Vec<String> {
        self.last_words.so_far()
    }

    /// Returns the last lines of the process's stderr as they come. They outlive the process.
    #[must_use]
    pub fn stderr(&self) -> StderrTail {
        self.last_words.clone()
    }

    /// Returns one line about the state of the process: whether and how it ended, and its last lines on stderr. It is meant for
    /// an error about a server that ended, stays silent, or sends invalid messages. Waits at most `limit` for the process to end,
    /// and then at most as long for its stderr to end.
    pub async fn report(&mut self, limit: Duration) -> String {
        let ended = tokio::time::timeout(limit, self.child.wait()).await;
        let mut text = match &ended {
            Ok(Ok(status)) => format!("the process of server {:?} ended ({status})", self.server_id),
            Ok(Err(error)) => format!("the process of server {:?} is lost ({error})", self.server_id),
            Err(_) => format!("the process of server {:?} still runs", self.server_id),
        };
        let words = match ended {
            Ok(_) => self.last_words.at_end(limit).await,
            Err(_) => self.last_words(),
        };
        let spoken: Vec<_> = words.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect();
        let told = &spoken[spoken.len().saturating_sub(TOLD)..];
        if told.is_empty() {
            text.push_str(", and it wrote nothing to stderr");
        } else {
            text.push_str("; it last wrote to stderr: ");
            text.push_str(&told.join(" | "));
        }
        text
    }

    /// Waits until the process ends by itself.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Ends the process: waits for it to notice the end of its stdin, which the caller has closed, then sends SIGTERM, then kills
    /// it. Processes that it started and left behind are killed too. On Linux this includes those in their own sessions.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub async fn stop(mut self, grace: Grace) -> io::Result<ExitStatus> {
        let status = self.end(grace).await;
        self.end_rest().await;
        status
    }

    async fn end(&mut self, grace: Grace) -> io::Result<ExitStatus> {
        if let Ok(status) = tokio::time::timeout(grace.stdin, self.child.wait()).await {
            return status;
        }
        tracing::debug!(
            server = self.server_id,
            "still running after the end of its stdin: asked to terminate"
        );
        self.terminate();
        if let Ok(status) = tokio::time::timeout(grace.terminate, self.child.wait()).await {
            return status;
        }
        tracing::warn!(server = self.server_id, "still running after the request to terminate: killed");
        self.child.start_kill()?;
        self.child.wait().await
    }

    /// Ends the processes that the process left behind, and waits until that is done.
    pub(super) async fn end_rest(mut self) {
        self.kill_group();
        let setup = self.setup.take();
        #[cfg(target_os = "linux")]
        let run = self.run.take();
        let end = move || {
            drop(setup);
            #[cfg(target_os = "linux")]
            end_run(run);
        };
        // On a thread for blocking work: it may scan every process of this machine. A failure is the setup's, and says nothing
        // about the process.
        let _ = tokio::task::spawn_blocking(end).await;
    }

    /// Kills the whole group, once: processes that the server started must not outlive it. Usually the group is already gone.
    fn kill_group(&mut self) {
        if !std::mem::replace(&mut self.is_ended, true) {
            let _ = self.child.start_kill();
        }
    }

    #[cfg(unix)]
    fn terminate(&self) {
        const SIGTERM: i32 = 15;
        // A process that ended in the meantime needs no signal.
        let _ = self.child.signal(SIGTERM);
    }

    #[cfg(not(unix))]
    fn terminate(&self) {}
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.kill_group();
        // Nothing can wait for work elsewhere, so the setup ends here.
        self.setup = None;
        #[cfg(target_os = "linux")]
        if let Some(run) = self.run.take() {
            // This thread cannot wait for a scan of every process. If no other thread starts, processes that left the group keep
            // running.
            let _ = std::thread::Builder::new().spawn(move || end_run(Some(run)));
        }
    }
}

/// Ends the processes of a run that have left the group of its server.
#[cfg(target_os = "linux")]
fn end_run(run: Option<RunMark>) {
    if let Some(Err(error)) = run.map(|run| run.end()) {
        tracing::warn!(%error, "failed to end processes that a server left behind");
    }
}

impl fmt::Debug for ChildProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildProcess")
            .field("server_id", &self.server_id)
            .field("pid", &self.id())
            .finish_non_exhaustive()
    }
}

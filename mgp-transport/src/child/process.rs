//! A server's process, from its start to the end of its last grandchild.

use super::stderr::LastWords;
use process_wrap::tokio::ChildWrapper;
use std::{fmt, io, process::ExitStatus, time::Duration};

/// A server's process. Dropping it kills the process and everything that it started.
pub struct ChildProcess {
    server_id: String,
    child: Box<dyn ChildWrapper>,
    last_words: LastWords,
}

/// How long a process gets for each step of its end.
#[derive(Debug, Clone, Copy)]
pub struct Grace {
    /// From the end of its stdin to SIGTERM.
    pub stdin: Duration,
    /// From SIGTERM to SIGKILL.
    pub terminate: Duration,
}

impl Default for Grace {
    fn default() -> Self {
        Self { stdin: Duration::from_secs(2), terminate: Duration::from_secs(2) }
    }
}

/// How many of the last lines a report tells.
const TOLD: usize = 5;

impl ChildProcess {
    pub(super) fn new(server_id: String, child: Box<dyn ChildWrapper>, last_words: LastWords) -> Self {
        Self { server_id, child, last_words }
    }

    /// The process id; none once it has ended.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// The last lines that it wrote to stderr, for an error that says why it died.
    #[must_use]
    pub fn last_words(&self) -> Vec<String> {
        self.last_words.so_far()
    }

    /// Says in one line what became of it: whether and how it ended, and what it said last. For an error about a server that
    /// died, stays silent, or speaks nonsense. Waits no longer than the time limit for an end that is about to come.
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

    /// Waits for it to end by itself.
    ///
    /// # Errors
    /// What the operating system says.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Ends it: waits for it to notice the end of its stdin, which the caller has closed, then asks with SIGTERM, then kills.
    /// What it started and left behind is killed too.
    ///
    /// # Errors
    /// What the operating system says.
    pub async fn stop(mut self, grace: Grace) -> io::Result<ExitStatus> {
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
        // To the whole group: what the server started must not outlive it. No such group is the usual answer.
        let _ = self.child.start_kill();
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

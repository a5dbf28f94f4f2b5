//! How much is measured, and on what runtime.

use tokio::runtime::{Builder, Runtime};

/// How much is measured, and on what runtime. The defaults end within half a minute.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Threads of the runtime; 0 is a runtime on the calling thread alone.
    pub(crate) workers: usize,
    /// How many rounds each contestant has.
    pub(crate) rounds: usize,
    /// How many calls one round has.
    pub(crate) calls: usize,
    /// The one side that runs, for a profiler.
    pub(crate) only: Option<Side>,
}

/// Who is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Ours,
    Peer,
}

impl Default for Settings {
    fn default() -> Self {
        Self { workers: 2, rounds: 9, calls: 20_000, only: None }
    }
}

impl Settings {
    /// The runtime on which all contestants run.
    pub(crate) fn runtime(&self) -> Result<Runtime, String> {
        let mut builder = match self.workers {
            0 => Builder::new_current_thread(),
            workers => {
                let mut builder = Builder::new_multi_thread();
                builder.worker_threads(workers);
                builder
            }
        };
        builder.enable_all().build().map_err(|error| format!("failed to start the runtime: {error}"))
    }

    pub(crate) fn runs(&self, side: Side) -> bool {
        self.only.is_none_or(|only| only == side)
    }
}

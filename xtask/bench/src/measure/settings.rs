//! The amount of work to measure, and its runtime.

use std::path::PathBuf;
use tokio::runtime::{Builder, Runtime};

/// The amount of work to measure, and its runtime. With the defaults, a bench ends within half a minute.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Threads of the runtime; 0 is a runtime only on the calling thread.
    pub(crate) workers: usize,
    /// The number of rounds for each contestant.
    pub(crate) rounds: usize,
    /// The number of calls in one round.
    pub(crate) calls: usize,
    /// The only side that runs, for a profiler.
    pub(crate) only: Option<Side>,
    /// The program `mgp` that benches run instead of a new build.
    pub(crate) program: Option<PathBuf>,
}

/// A side of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Ours,
    Peer,
}

impl Default for Settings {
    fn default() -> Self {
        Self { workers: 2, rounds: 9, calls: 20_000, only: None, program: None }
    }
}

impl Settings {
    /// Builds the runtime for all contestants.
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

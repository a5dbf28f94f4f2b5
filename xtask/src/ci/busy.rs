//! Threads that only keep the machine busy, so that a test that depends on its speed fails.

use std::hint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// The number of busy threads for each core.
const THREADS_PER_CORE: usize = 3;

/// Busy threads, until the value is dropped.
#[derive(Debug)]
pub(super) struct BusyThreads {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl BusyThreads {
    /// Starts three threads for each core.
    pub(super) fn start() -> Self {
        let count = THREADS_PER_CORE * thread::available_parallelism().map_or(1, usize::from);
        let stop = Arc::new(AtomicBool::new(false));
        let busy = |stop: Arc<AtomicBool>| {
            move || {
                while !stop.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            }
        };
        let threads = (0..count).map(|_| thread::spawn(busy(stop.clone()))).collect();
        Self { stop, threads }
    }

    /// Returns the number of threads.
    pub(super) fn count(&self) -> usize {
        self.threads.len()
    }
}

impl Drop for BusyThreads {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

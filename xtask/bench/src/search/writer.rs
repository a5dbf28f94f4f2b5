//! A writer that changes the index during searches.

use super::cached::indexed;
use crate::tools::Server;
use mgp_toolindex::index::ToolIndex;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// The pause between two changes.
const PAUSE: Duration = Duration::from_millis(10);

/// A writer that changes the tools of one server after another until it is stopped.
pub(super) struct Writer {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<u32, String>>,
    start: Instant,
}

impl Writer {
    /// Starts the writer. `editions` are the servers in the order in which they are written repeatedly.
    pub(super) fn start(index: ToolIndex, editions: Arc<Vec<Server>>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            let mut changes = 0;
            for server in editions.iter().cycle() {
                if until.load(Ordering::Relaxed) {
                    break;
                }
                let tools = server.tools.iter().map(|json| indexed(&server.id, json).map(Arc::new));
                let tools = tools.collect::<Result<Vec<_>, String>>()?;
                let update = index.update_server(server.id.as_str(), tools);
                runtime.block_on(update).map_err(|error| error.to_string())?;
                changes += 1;
                thread::sleep(PAUSE);
            }
            Ok(changes)
        });
        Self { stop, thread, start: Instant::now() }
    }

    /// Stops the writer. Returns its number of changes per second.
    pub(super) fn stop(self) -> Result<f64, String> {
        self.stop.store(true, Ordering::Relaxed);
        let changes = self.thread.join().map_err(|_| "the writer died")??;
        Ok(f64::from(changes) / self.start.elapsed().as_secs_f64())
    }
}

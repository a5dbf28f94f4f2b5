//! Blocking work inside asynchronous code.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs blocking work. On a runtime of several threads, the other threads take over this thread's tasks.
pub(super) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current() {
        Ok(runtime) if runtime.runtime_flavor() == RuntimeFlavor::MultiThread => {
            tokio::task::block_in_place(work)
        }
        _ => work(),
    }
}

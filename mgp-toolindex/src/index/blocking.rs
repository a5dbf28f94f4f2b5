//! Blocking work inside asynchronous code.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs work that blocks. On a runtime of several threads, the others take over the tasks of this one meanwhile.
pub(super) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current() {
        Ok(runtime) if runtime.runtime_flavor() == RuntimeFlavor::MultiThread => {
            tokio::task::block_in_place(work)
        }
        _ => work(),
    }
}

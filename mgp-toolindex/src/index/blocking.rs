//! Work that takes its time, in the middle of what must not wait.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Does work that takes its time. On a runtime of several threads, the others take over what this one has to do.
pub(super) fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current() {
        Ok(runtime) if runtime.runtime_flavor() == RuntimeFlavor::MultiThread => {
            tokio::task::block_in_place(work)
        }
        _ => work(),
    }
}

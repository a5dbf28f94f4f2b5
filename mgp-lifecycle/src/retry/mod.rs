//! §14.6 Retries: a call that failed, and that may be made again without harm, is made again.

mod again;
mod deadline;
mod layer;
mod policy;
mod service;
#[cfg(test)]
mod tests;

pub use deadline::CallDeadline;
pub use layer::{RetryLayer, RetryNote};
pub use policy::RetryPolicy;
pub use service::{ResponseFuture, Retry};

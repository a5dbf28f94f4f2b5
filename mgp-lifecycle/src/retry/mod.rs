//! §14.6 Retries: a failed call is made again if that is safe.

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

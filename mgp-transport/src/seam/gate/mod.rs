//! Gates: services that decide whether a tool call may continue.
//!
//! A gate is one function, [`Judge::judge`]. [`GateLayer`] puts one or several of them into a pipeline.

mod future;
mod judge;
mod layer;
mod refusal;
mod service;

pub use future::ResponseFuture;
pub use judge::{Decision, Judge};
pub use layer::GateLayer;
pub use refusal::Refusal;
pub use service::Gate;

#[cfg(test)]
mod tests;

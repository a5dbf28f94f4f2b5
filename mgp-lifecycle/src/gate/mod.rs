//! §11.2, §11.4 The gate of one server: refuses calls according to the server's state, counts the calls in flight, drains.

mod drain;
mod in_flight;
mod layer;
mod permit;
mod service;

pub use drain::{Drain, DrainOutcome};
pub use layer::LifecycleLayer;
pub use permit::{Gate, GateRefusal, Permit};
pub use service::{Lifecycle, PermittedFuture};

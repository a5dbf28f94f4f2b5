//! Servers that requests start: those that run on demand, which are stopped when nothing uses them, and those that are away.

mod demand;
mod layer;
mod service;

pub use demand::{Demand, DemandGuard};
pub use layer::{OnDemandLayer, StartLimits};
pub use service::{OnDemand, ResponseFuture};

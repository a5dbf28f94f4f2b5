//! Servers that requests start: on-demand servers, which are stopped when unused, and servers that are away.

mod demand;
mod layer;
mod service;

pub use demand::{Demand, DemandGuard};
pub use layer::{OnDemandLayer, StartLimits};
pub use service::{OnDemand, ResponseFuture};

//! Servers that run on demand: the first call starts such a server, and a server that nothing uses is stopped.

mod demand;
mod layer;
mod service;

pub use demand::{Demand, DemandGuard};
pub use layer::OnDemandLayer;
pub use service::{OnDemand, ResponseFuture};

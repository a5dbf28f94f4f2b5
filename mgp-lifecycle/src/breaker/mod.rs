//! A circuit breaker for one server: calls are refused for a while after several failed in a row, or while the server reports that it is
//! unhealthy.

mod circuit;
mod layer;
mod service;

pub use circuit::{BreakerOpen, BreakerPass, BreakerPolicy, CircuitBreaker};
pub use layer::BreakerLayer;
pub use service::{Breaker, ResponseFuture};

//! §6.5 Gives every request its trace, at the very top of the pipeline, and refuses requests whose params cannot be read before any layer
//! looks at them. Where a subscriber takes spans, each request and each request that it makes to a server has one.

mod layer;
mod request_trace;
mod service;
mod span;

pub(in crate::kernel) use layer::TraceLayer;
pub(in crate::kernel) use request_trace::add_trace;
pub use span::SPANS;
pub(in crate::kernel) use span::{RequestSpan, ServerSpan};

//! §6.5 Assigns every request its trace, at the top of the pipeline, and refuses requests with unreadable params before any other layer.
//! If a subscriber records spans, each request has one, and so has each of its requests to a server.

mod in_errors;
mod layer;
mod request_trace;
mod service;
mod span;

pub(crate) use in_errors::{result_with_trace, trace_refusals, with_trace};
pub(crate) use layer::TraceLayer;
pub(crate) use request_trace::add_trace;
pub use span::SPANS;
pub(crate) use span::{RequestSpan, ServerSpan};

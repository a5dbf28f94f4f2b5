//! §6.5 Gives every request its trace, at the very top of the pipeline, and reads the envelope of its params once.

mod layer;
mod service;

pub(in crate::kernel) use layer::TraceLayer;
pub(in crate::kernel) use service::ParsedParams;

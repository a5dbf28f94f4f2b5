//! §6.5 Gives every request its trace, at the very top of the pipeline.

mod layer;
mod service;

pub(in crate::kernel) use layer::TraceLayer;

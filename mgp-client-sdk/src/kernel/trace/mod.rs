//! §6.5 Gives every request its trace, at the very top of the pipeline, and refuses requests whose params cannot be read before any layer
//! looks at them.

mod layer;
mod service;

pub(in crate::kernel) use layer::TraceLayer;

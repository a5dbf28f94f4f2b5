//! Refuses requests whose params cannot be read, before any layer looks at them, and records them.

mod layer;
mod service;

pub(in crate::kernel) use layer::ReadableLayer;

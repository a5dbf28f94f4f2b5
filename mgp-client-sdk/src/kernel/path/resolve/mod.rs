//! Finds the server and the tool of a call once, so that every layer judges the same tool.

mod existence;
mod layer;
mod service;

pub(in crate::kernel) use existence::Existence;
pub(in crate::kernel) use layer::ResolveLayer;
use service::Resolve;

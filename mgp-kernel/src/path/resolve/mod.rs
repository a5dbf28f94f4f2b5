//! Finds the server and the tool of a call once, so that every layer judges the same tool.

mod check_params;
mod existence;
mod layer;
mod service;

pub(crate) use existence::Existence;
pub(crate) use layer::ResolveLayer;
use service::Resolve;

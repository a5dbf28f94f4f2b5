//! Finds the server and the tool that a call means, once, so that no layer ever judges the wrong name.

mod existence;
mod service;

pub(in crate::kernel) use existence::Existence;
pub(in crate::kernel) use service::Resolve;

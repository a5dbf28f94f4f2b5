//! Finds the server and the tool that a call means, once, so that no layer ever judges the wrong name.

mod layer;
mod service;
mod unknown;

pub(in crate::kernel) use layer::ResolveLayer;
pub(in crate::kernel) use service::Named;
pub(in crate::kernel) use unknown::RefuseUnknownLayer;

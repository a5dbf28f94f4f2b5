//! Finds the server and the tool that a call means, once, so that no layer ever judges the wrong name.

mod layer;
mod service;
mod unknown;

pub use layer::ResolveLayer;
pub use service::Resolve;
pub use unknown::{RefuseUnknown, RefuseUnknownLayer};

pub(in crate::kernel) use service::Named;

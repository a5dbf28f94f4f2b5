//! The service manifest of the kernel for one agent: as the method `mgp/discovery/manifest`, and as the resource `mgp://manifest`.

mod document;
mod methods;
mod resource;

pub(in crate::kernel) use document::{ManifestSource, document};
pub(in crate::kernel) use methods::routes;

//! The service manifest of the kernel for one agent: as the method `mgp/discovery/manifest`, and as the resource `mgp://manifest`.

mod document;
mod methods;
mod resource;

pub(crate) use document::{ManifestSource, document};
pub(crate) use methods::routes;

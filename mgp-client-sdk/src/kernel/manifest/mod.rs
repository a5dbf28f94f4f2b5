//! The service manifest of the kernel for one agent: as the method `mgp/discovery/manifest`, and as the resource `mgp://manifest`.

mod document;
mod methods;
mod resource;

pub(super) use document::{ManifestSource, document};
pub(super) use methods::routes;
pub(super) use resource::{MANIFEST_URI, entry, read};

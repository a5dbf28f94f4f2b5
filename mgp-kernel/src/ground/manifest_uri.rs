//! The URI of the kernel's own resource.

/// The URI of the resource with the manifest.
pub(crate) const MANIFEST_URI: &str = "mgp://manifest";

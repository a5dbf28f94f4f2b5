//! The URI of the kernel's own resource.

/// The URI of the resource with the manifest.
pub(in crate::kernel) const MANIFEST_URI: &str = "mgp://manifest";

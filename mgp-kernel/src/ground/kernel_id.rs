//! The kernel's own id.

/// The kernel's id for hosts, and for other kernels.
pub(crate) const SERVER_ID: &str = "mgp.kernel";

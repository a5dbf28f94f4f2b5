//! The kernel's own id.

/// The kernel's id for hosts, and for other kernels.
pub(in crate::kernel) const SERVER_ID: &str = "mgp.kernel";

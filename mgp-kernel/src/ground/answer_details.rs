//! The details of a call's event about its last answer.

use mgp_transport::seam::CallRecord;

/// The detail of a call whose last result had no MCP content and got a text of the kernel. The text describes an error, a request for a
/// confirmation, or another tool that the server names instead of data.
pub(crate) const KERNEL_TEXT: &str = "kernel_text";

/// The detail of a call whose answer was changed for its host.
pub(crate) const MENDED: &str = "mended";

/// Returns whether the last result of a call had no MCP content and got a text of the kernel.
pub(crate) fn has_kernel_text(record: &CallRecord) -> bool {
    record.update(|record| record.details.iter().any(|(name, _)| *name == KERNEL_TEXT))
}

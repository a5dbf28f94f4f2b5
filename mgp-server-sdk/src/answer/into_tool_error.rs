//! The error of a handler's result.

use super::ToolError;

/// The error of a handler's result: everything that can be displayed, and every type that a [`ToolError`] can be made from.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a handler, because it cannot be displayed",
    label = "its error cannot be displayed",
    note = "implement `std::fmt::Display` for `{Self}`, or `From<{Self}> for ToolError`; or return `Result<_, ToolError>`, into which \
            `?` turns every error that can be displayed"
)]
pub trait IntoToolError: Into<ToolError> {}

// The message is about errors, not about the conversion behind this trait.
#[diagnostic::do_not_recommend]
impl<E: Into<ToolError>> IntoToolError for E {}

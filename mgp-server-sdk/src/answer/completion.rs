//! Conversion of a completion function's return value into proposals.

use super::{IntoToolError, ToolError};
use mgp_types::mcp::Completion;

/// The most proposals that one answer may hold.
const MOST: usize = 100;

/// Types that a completion's function may return: `Vec<String>` or `Vec<&'static str>`, with the best proposal first, cut to the
/// first hundred; an unchanged [`Completion`]; and a `Result` of these.
#[diagnostic::on_unimplemented(
    message = "a completion cannot answer with `{Self}`",
    label = "not an answer of a completion",
    note = "answer with `Vec<String>`, `Vec<&'static str>` or `Completion`; and with a `Result` of these where it can fail"
)]
pub trait IntoCompletion {
    /// Converts the value into proposals.
    ///
    /// Returns a [`ToolError`], which the caller receives instead.
    /// [`ToolError`]: the error that the caller gets instead.
    fn into_completion(self) -> Result<Completion, ToolError>;
}

impl IntoCompletion for Vec<String> {
    fn into_completion(mut self) -> Result<Completion, ToolError> {
        let total = self.len();
        self.truncate(MOST);
        Ok(Completion { values: self, total: Some(total as u64), has_more: Some(total > MOST) })
    }
}

impl IntoCompletion for Vec<&'static str> {
    fn into_completion(self) -> Result<Completion, ToolError> {
        self.into_iter().map(str::to_owned).collect::<Vec<_>>().into_completion()
    }
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Result<Completion, ToolError> {
        Ok(self)
    }
}

impl<T: IntoCompletion, E: IntoToolError> IntoCompletion for Result<T, E> {
    fn into_completion(self) -> Result<Completion, ToolError> {
        self.map_err(Into::into)?.into_completion()
    }
}

//! Conversion of a prompt function's return value into messages.

use super::{IntoToolError, ToolError};
use mgp_types::mcp::{ContentBlock, GetPromptResult, PromptMessage};

/// Types that a prompt's function may return: `String` and `&'static str` as a message of the user, one or several
/// [`PromptMessage`]s, an unchanged [`GetPromptResult`], and a `Result` of these.
#[diagnostic::on_unimplemented(
    message = "a prompt cannot answer with `{Self}`",
    label = "not an answer of a prompt",
    note = "answer with a `String`, a `PromptMessage` or several, or `GetPromptResult`; and with a `Result` of these where it can fail"
)]
pub trait IntoPrompt {
    /// Converts the value into the conversation that the prompt starts.
    ///
    /// # Errors
    /// Returns a [`ToolError`], which the caller receives instead.
    fn into_prompt(self) -> Result<GetPromptResult, ToolError>;
}

impl IntoPrompt for String {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        PromptMessage::user(ContentBlock::text(self)).into_prompt()
    }
}

impl IntoPrompt for &'static str {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        self.to_owned().into_prompt()
    }
}

impl IntoPrompt for PromptMessage {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        vec![self].into_prompt()
    }
}

impl IntoPrompt for Vec<PromptMessage> {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        Ok(GetPromptResult { messages: self, ..GetPromptResult::default() })
    }
}

impl IntoPrompt for GetPromptResult {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        Ok(self)
    }
}

impl<T: IntoPrompt, E: IntoToolError> IntoPrompt for Result<T, E> {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        self.map_err(Into::into)?.into_prompt()
    }
}

//! An outcome as the result of a tool.

use super::{
    ErrorDetail, Outcome, ResultStatus, Verdict,
    carrier::{ResultMember, Sources},
};
use crate::{
    json::{JsonError, RawJson},
    mcp::{CallToolResult, ContentBlock},
};
use serde::Serialize;

impl<T: Serialize> Outcome<T> {
    /// Converts the outcome to the result of a tool. An object becomes structured content with the same JSON as text, a string becomes a
    /// text, and `null`, as of `()`, becomes nothing.
    ///
    /// ```
    /// use mgp_types::tool_result::Outcome;
    /// let result = Outcome::no_change_needed("a.txt").into_result()?;
    /// assert_eq!(result.content[0].as_text(), Some("a.txt"));
    /// assert_eq!(result.content[1].as_text(), Some("no change was needed"));
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    /// [`JsonError`] if the data are of another kind, which structured content cannot hold.
    pub fn into_result(self) -> Result<CallToolResult, JsonError> {
        let mut result = match (&self.verdict, self.data()) {
            (Verdict::Failure(error), _) => CallToolResult::error(&*error.message),
            (_, Some(data)) => of_data(&RawJson::from_value(data)?)?,
            (_, None) => CallToolResult::default(),
        };
        result.content.extend(self.note().map(ContentBlock::text));
        let sources = (!self.provenance.is_empty()).then(|| Sources(self.provenance.clone()));
        let member = ResultMember {
            status: Some(self.status()),
            error: self.error().cloned(),
            explanation: self.explanation,
            provenance: sources,
            ..ResultMember::default()
        };
        member.put(result.meta.get_or_insert_default())?;
        Ok(result)
    }
}

impl CallToolResult {
    /// Returns the result as a failure with this error. Its content stays, so that a model reads more than the error's message.
    ///
    /// ```
    /// use mgp_types::{mcp::CallToolResult, tool_result::{ErrorDetail, ErrorType}};
    /// let error = ErrorDetail::new(ErrorType::ValidationError, "n is negative");
    /// let result = CallToolResult::text("n is negative. Take one from 0 to 9.").with_error(error.clone());
    /// assert_eq!(result.outcome::<u32>()?.into_data(), Err(error));
    /// # Ok::<(), mgp_types::tool_result::OutcomeError>(())
    /// ```
    #[must_use]
    pub fn with_error(mut self, error: ErrorDetail) -> Self {
        self.is_error = Some(true);
        self.with_member(&ResultMember {
            status: Some(ResultStatus::Failure),
            error: Some(error),
            ..ResultMember::default()
        })
    }

    /// Marks the result as a success. Its content stays.
    #[must_use]
    pub fn with_success(self) -> Self {
        self.with_member(&ResultMember { status: Some(ResultStatus::Success), ..ResultMember::default() })
    }

    fn with_member(mut self, member: &ResultMember) -> Self {
        // Strings and members that were read always serialize.
        let _ = member.put(self.meta.get_or_insert_default());
        self
    }
}

fn of_data(data: &RawJson) -> Result<CallToolResult, JsonError> {
    if data.is_object() {
        return Ok(CallToolResult {
            structured_content: Some(data.clone()),
            ..CallToolResult::text(data.as_str())
        });
    }
    match data.to_text() {
        Some(text) => Ok(CallToolResult::text(text)),
        None if data.is_null() => Ok(CallToolResult::default()),
        None => Err(JsonError::NotAnObject(data.kind())),
    }
}

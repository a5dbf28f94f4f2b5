//! The error of asking a client.

use crate::{Failure, ToolError};
use mgp_transport::seam::CallError;
use mgp_types::{
    json::{JsonError, RawJson},
    mcp::McpErrorCode,
    rpc::ErrorObject,
    tool_result::ErrorType,
};

/// The error returned when a client cannot be asked, or does not answer. A [`ToolError`] or [`Failure`] made from this error names
/// the missing capability to the client.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum AskError {
    /// The client did not declare the capability that the question needs.
    MissingCapability {
        /// The capabilities that the client would have to declare, as an object.
        required: RawJson,
        /// True if the client is asked in rounds of input: its revision of MCP has an error code for a missing capability.
        in_rounds: bool,
    },
    /// The client answered with an error, or could not be reached.
    Call(CallError),
    /// More questions are open than one round, or the callbacks of one session, may hold.
    TooMany {
        /// The most questions that may be open at once.
        limit: usize,
    },
    /// The form cannot be written as JSON, or its content does not fit the type that it is read as.
    Form(JsonError),
    /// The call was not received over a connection, so there is no client to ask.
    NoClient,
}

impl AskError {
    /// Returns the text of the error.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::MissingCapability { required, .. } => {
                format!(
                    "the client cannot answer the server's question: expected the capabilities {required}"
                )
            }
            Self::Call(error) => format!("failed to ask the client: {error}"),
            Self::TooMany { limit } => format!("too many questions at once: expected at most {limit}"),
            Self::Form(error) => format!("failed to read the form: {error}"),
            Self::NoClient => "there is no client to ask: the call has no connection".into(),
        }
    }
}

impl From<AskError> for ToolError {
    fn from(error: AskError) -> Self {
        match &error {
            AskError::MissingCapability { required, in_rounds: true } => {
                let mut data = mgp_types::json::RawObject::new();
                data.insert("requiredCapabilities", required.clone());
                let object = ErrorObject::new(McpErrorCode::MissingRequiredClientCapability, error.message());
                Self::protocol(object.with_data(data.to_json()))
            }
            AskError::MissingCapability { in_rounds: false, .. } | AskError::Call(_) | AskError::Form(_) => {
                Self::new(error.message())
            }
            AskError::TooMany { .. } | AskError::NoClient => {
                Self::protocol(ErrorObject::internal(format!("internal error: {}", error.message())))
            }
        }
    }
}

impl From<AskError> for Failure {
    /// Converts the error into a failure of the type [`ToolExecutionError`](ErrorType::ToolExecutionError). A client that receives an error of the
    /// protocol for it as a [`ToolError`] receives the same error here.
    ///
    /// ```
    /// use mgp_server_sdk::{Failure, Tool, ask::Ask};
    ///
    /// async fn sell(ask: Ask) -> Result<&'static str, Failure> {
    ///     if !ask.confirm("sure", "Sell it?").await? {
    ///         return Err(Failure::new("NotSold", "the user keeps it"));
    ///     }
    ///     Ok("sold")
    /// }
    /// let tool = Tool::new("sell", "Sells it", sell);
    /// ```
    fn from(error: AskError) -> Self {
        let failure = Self::new(ErrorType::ToolExecutionError, error.message());
        failure.with_protocol(ToolError::from(error).into_protocol())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_a_question_keeps_the_protocol_s_error() {
        let required = RawJson::parse(r#"{"elicitation":{}}"#).unwrap();
        let missing = |in_rounds| AskError::MissingCapability { required: required.clone(), in_rounds };
        for error in [missing(true), AskError::NoClient] {
            let failure = Failure::from(error.clone());
            assert_eq!(failure.error().message, error.message());
            assert_eq!(ToolError::from(failure).into_error(), ToolError::from(error).into_error());
        }
        let result = ToolError::from(Failure::from(missing(false))).into_tool_result().unwrap();
        assert!(result.is_error.unwrap_or_default(), "{result:?}");
    }
}

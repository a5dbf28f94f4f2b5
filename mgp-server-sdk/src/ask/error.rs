//! Why a client was not asked, or did not answer.

use crate::ToolError;
use mgp_transport::seam::CallError;
use mgp_types::{json::RawJson, mcp::McpErrorCode, rpc::ErrorObject};

/// Why a client was not asked, or did not answer. As a [`ToolError`] it tells the client which capability is missing.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum AskError {
    /// The client did not say that it can be asked this.
    MissingCapability {
        /// What it would have to declare, as an object of capabilities.
        required: RawJson,
        /// Whether it speaks a stateless revision of MCP, which has an error of its own for this.
        stateless: bool,
    },
    /// The client answered with an error, or could not be reached.
    Call(CallError),
    /// The handler asks too much at once.
    TooMany {
        /// How many questions one round may hold.
        limit: usize,
    },
    /// The call came over no connection, so there is nobody to ask.
    NoClient,
}

impl AskError {
    /// What is wrong, in words.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::MissingCapability { required, .. } => {
                format!("the client does not offer what this needs: expected the capabilities {required}")
            }
            Self::Call(error) => format!("failed to ask the client: {error}"),
            Self::TooMany { limit } => format!("too many questions at once: expected at most {limit}"),
            Self::NoClient => "there is no client to ask: the call came over no connection".into(),
        }
    }
}

impl From<AskError> for ToolError {
    fn from(error: AskError) -> Self {
        match &error {
            AskError::MissingCapability { required, stateless: true } => {
                let mut data = mgp_types::json::RawObject::new();
                data.insert("requiredCapabilities", required.clone());
                let object = ErrorObject::new(McpErrorCode::MissingRequiredClientCapability, error.message());
                Self::protocol(object.with_data(data.to_json()))
            }
            AskError::MissingCapability { stateless: false, .. } | AskError::Call(_) => {
                Self::new(error.message())
            }
            AskError::TooMany { .. } | AskError::NoClient => {
                Self::protocol(ErrorObject::internal(format!("internal error: {}", error.message())))
            }
        }
    }
}

//! §16.6 Tools that a kernel creates from the code of its client's agent.

use super::{Client, ClientBuilder};
use mgp_transport::seam::CallError;
use mgp_types::{
    code_safety::CodeRejection,
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    negotiation::Extension,
    rpc::ErrorObject,
    tool_index::{
        LoadedTool, RequestStatus, RequestTools, RequestToolsParams, ToolCreation, ToolRequirements,
    },
};
use serde::Serialize;
use std::fmt;

/// A tool that a kernel created from an agent's code. It ends with its session.
#[derive(Debug, Clone, PartialEq)]
pub struct CreatedTool {
    /// The tool, in the kernel's form.
    pub tool: LoadedTool,
    /// The session, for a client that names it with each request; `None` if the connection is the session.
    pub session: Option<String>,
}

/// The error of a tool that was not created.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CreateToolError {
    /// The request failed, or the kernel refused it.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The code is rejected (§7.4), with hints about code that would pass.
    #[error("{}: {}", .0.reason, .0.violations.join("; "))]
    Rejected(Box<CodeRejection>),
    /// No tool was created, because there are tools with the capability, or tools that wait for an approval.
    #[error("no tool was made: the request is {0}")]
    NotNeeded(RequestStatus),
}

// A `main` that returns the error prints this form.
impl fmt::Debug for CreateToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl ClientBuilder {
    /// Offers the extension `tool_creation` (§16.6) in addition to the others: the client's agent submits code, from which a kernel creates tools
    /// for the session. It is not offered by default.
    #[must_use]
    pub fn tool_creation(mut self) -> Self {
        let offered = self.offered.unwrap_or_default();
        self.offered = Some(offered.iter().chain([Extension::ToolCreation]).collect());
        self
    }
}

impl Client {
    /// Creates a tool from code, for a capability that no tool has. The kernel checks the code, runs it confined, and keeps the tool only
    /// for this session. Needs [`ClientBuilder::tool_creation`].
    ///
    /// ```no_run
    /// # use mgp_client_sdk::client::{Client, CreateToolError};
    /// # use mgp_types::tool_index::ToolCreation;
    /// # async fn create(client: &Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let code = "def word_count(text: str) -> int:\n    return len(text.split())\n";
    /// let creation = ToolCreation { language: "python".into(), code: code.into(), ..ToolCreation::default() };
    /// let tool = client.create_tool("count words", creation).await?;
    /// let counted = client.call_created(&tool, &serde_json::json!({"text": "to be or not to be"})).await?;
    /// assert_eq!(counted.content[0].as_text(), Some("6"));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`CreateToolError`].
    pub async fn create_tool(
        &self,
        capability: impl Into<String>,
        creation: ToolCreation,
    ) -> Result<CreatedTool, CreateToolError> {
        let params = RequestToolsParams {
            reason: Some("capability_gap".to_owned()),
            requirements: ToolRequirements {
                capabilities: vec![capability.into()],
                ..ToolRequirements::default()
            },
            creation: Some(creation),
            ..RequestToolsParams::default()
        };
        let result = match self.request::<RequestTools>(&params).await {
            Ok(result) => result,
            Err(CallError::Peer(error)) => {
                return Err(match rejection(&error) {
                    Some(rejection) => CreateToolError::Rejected(Box::new(rejection)),
                    None => CallError::Peer(error).into(),
                });
            }
            Err(error) => return Err(error.into()),
        };
        let not_made = result.notes.as_ref().is_some_and(|notes| !notes.hints.is_empty());
        let session = result.notes.and_then(|notes| notes.session);
        match result.tools_loaded.into_iter().next() {
            Some(tool) if !not_made && result.status == RequestStatus::Fulfilled => {
                Ok(CreatedTool { tool, session })
            }
            _ => Err(CreateToolError::NotNeeded(result.status)),
        }
    }

    /// Calls a created tool, in its session.
    ///
    /// # Errors
    /// [`CallError`]. The failure of a tool that ran is a result, not an error.
    pub async fn call_created(
        &self,
        tool: &CreatedTool,
        arguments: impl Serialize,
    ) -> Result<CallToolResult, CallError> {
        let Some(session) = &tool.session else { return self.call_tool(&tool.tool.name, arguments).await };
        // The kernel's tool that takes the session as an argument.
        let call: RawObject = [
            ("name", RawJson::string(tool.tool.name.as_str())),
            ("arguments", RawJson::from_value(&arguments).map_err(CallError::Params)?),
            ("session", RawJson::string(session.as_str())),
        ]
        .into_iter()
        .collect();
        self.call_tool("mgp_tools_call", call.to_json()).await
    }
}

/// Parses the rejection in an error.
fn rejection(error: &ErrorObject) -> Option<CodeRejection> {
    if error.code != i64::from(ErrorCode::CodeSafetyViolation) {
        return None;
    }
    Recovery::from_error(error)?.details?.to_json().decode().ok()
}

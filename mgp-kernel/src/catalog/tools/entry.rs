//! One tool.

use super::{AppSettings, ArgumentExample, ClaimedEstimate, MemberSchema};
use crate::upstream::{Server, ShapedTool};
use mgp_security::{definition::Finding, profile::ToolProfile};
use mgp_transport::seam::ToolCall;
use mgp_types::{
    context::{Target, ToolId},
    json::RawJson,
    mcp::APPS_EXTENSION,
    tool_metadata::CallEstimate,
};
use std::{
    fmt,
    sync::{Arc, OnceLock},
};

/// One tool of one server.
pub(crate) struct ToolEntry {
    pub(crate) id: ToolId,
    /// The profile with which every gate judges the tool.
    pub(crate) profile: Arc<ToolProfile>,
    /// The server's own definition.
    pub(crate) definition: RawJson,
    /// The operator's changes of the tool, if there are some.
    pub(crate) shape: Option<Arc<ShapedTool>>,
    /// The settings for MCP Apps, if the definition has some.
    pub(crate) app: Option<Box<AppSettings>>,
    /// The schema of the arguments, for checks.
    pub(crate) schema: MemberSchema,
    /// The schema of the results, for checks.
    pub(crate) result_schema: MemberSchema,
    /// An example of arguments, for documents.
    pub(crate) example: ArgumentExample,
    /// The suspicious parts of the definition, once it was scanned.
    pub(super) scanned: OnceLock<Box<[Finding]>>,
    /// The estimate that the server claims, for answers and questions.
    pub(super) claimed: ClaimedEstimate,
    pub(crate) server: Arc<Server>,
    /// The target of calls under the name that was called first.
    pub(super) target: OnceLock<Arc<Target>>,
    /// The arguments that are repeated in headers.
    #[cfg(feature = "http")]
    pub(crate) in_headers: mgp_transport::http::server::AnnotatedArguments,
}

impl ToolEntry {
    /// Returns the tool of a call; `None` if there is no such tool.
    pub(crate) fn of<P>(call: &ToolCall<P>) -> Option<&Self> {
        call.route.as_ref()?.downcast_ref()
    }

    /// Takes the tool out of a call that is sent to it; `None` if there is no such tool.
    pub(crate) fn take(call: &mut ToolCall) -> Option<Arc<Self>> {
        call.route.take()?.downcast().ok()
    }

    /// Returns the tool of a call, to be kept longer than the call; `None` if there is no such tool.
    pub(crate) fn shared<P>(call: &ToolCall<P>) -> Option<Arc<Self>> {
        call.route.clone()?.downcast().ok()
    }

    /// Returns the target of a call under a name. Hosts share the first one, because most of them know the tool under the same name.
    pub(crate) fn target(&self, called_as: &str) -> Arc<Target> {
        let new = || Arc::new(Target { tool: self.id.clone(), called_as: called_as.into() });
        let first = self.target.get_or_init(new);
        if *first.called_as == *called_as { first.clone() } else { new() }
    }

    /// Returns the definition that hosts and checks use: the server's own, with the operator's changes.
    pub(crate) fn shown_definition(&self) -> &RawJson {
        self.shape.as_ref().map_or(&self.definition, |shape| &shape.definition)
    }

    /// Returns the server's claims about the tool's calls, and the measured latency.
    pub(crate) fn estimate(&self) -> CallEstimate {
        let measured_latency = self.server.latency(&self.id.tool_name);
        CallEstimate { measured_latency, ..self.claimed.of(&self.definition) }
    }

    /// Returns whether the tool is for the pages of MCP Apps, and not for models.
    pub(crate) fn is_for_pages_only(&self) -> bool {
        self.app.as_ref().is_some_and(|app| app.is_for_pages_only)
    }

    /// Returns whether the operator lets MCP Apps pass between hosts and the tool's server.
    pub(crate) fn passes_apps(&self) -> bool {
        self.server.spec.passed_extensions.has(APPS_EXTENSION)
    }

    /// Returns whether the operator disabled the tool.
    pub(crate) fn is_disabled(&self) -> bool {
        self.server.spec.disabled.iter().any(|disabled| **disabled == *self.id.tool_name)
    }
}

impl fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.fmt(f)
    }
}

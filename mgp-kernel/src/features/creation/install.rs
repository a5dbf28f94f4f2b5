//! The last step from code to a tool: its server starts, and ends with the session.

use super::{ToolCreator, create::CreationRefusal, made_tools::MadeTool};
use crate::ServerSpec;
use mgp_discovery::registry::ServerSource;
use mgp_security::audit::{ChangeError, EventDraft, record_change};
use mgp_toolindex::{catalogue::NamedTool, session::ToolSession};
use mgp_transport::seam::Peer;
use mgp_types::{
    context::{SessionTag, ToolId},
    error::ErrorCode,
    lifecycle::ShutdownReason,
    rpc::ErrorObject,
};
use std::{sync::Arc, time::Duration};

/// The time limit for the start of a tool's server, which runs in this process.
const START_LIMIT: Duration = Duration::from_secs(10);

/// Code that passed every check, and the server for its tool.
pub(super) struct JudgedCode {
    pub(super) spec: ServerSpec,
    /// The event of the tool.
    pub(super) event: EventDraft,
    pub(super) session: ToolSession,
    /// The host whose connection bounds the session; `None` for a session that each request names.
    pub(super) host: Option<Peer>,
    pub(super) tool: ToolId,
    pub(super) made: MadeTool,
}

impl ToolCreator {
    /// Adds the tool to its session, replacing a tool from a function with the same name.
    pub(super) async fn install(self: Arc<Self>, judged: JudgedCode) -> Result<NamedTool, CreationRefusal> {
        let JudgedCode { spec, event, session, host, tool, made } = judged;
        let _turn = self.creation.turn.lock().await;
        let tag = session.tag();
        let before = self.creation.made.of_function(tag, &made.function);
        self.creation.room(tag, before.is_some())?;
        let add = self.add_made(spec, tag, &tool);
        let named = match record_change(&*self.set.rights.trail.sink, event, add).await {
            Ok(named) => named,
            Err(error) => {
                self.end_made_server(&tool.server_id, ShutdownReason::ResourceLimit);
                return Err(CreationRefusal::Recorded(match error {
                    ChangeError::Failed(error) => error,
                    unrecorded => ErrorObject::internal(unrecorded.to_string()),
                }));
            }
        };
        if let Some(before) = before {
            self.end_made(tag, &before.server_id, "replaced by a tool of the same function").await;
        }
        self.creation.made.add(tag, made);
        self.end_with_session(&session, host, &tool.server_id);
        Ok(named)
    }

    /// Adds the server of a tool, and waits until its tool can be called.
    async fn add_made(
        &self,
        mut spec: ServerSpec,
        tag: SessionTag,
        tool: &ToolId,
    ) -> Result<NamedTool, ErrorObject> {
        let internal = |error: &dyn std::fmt::Display| ErrorObject::internal(error.to_string());
        let id = spec.id.clone();
        spec.session = Some(tag);
        let entry = spec.registered(ServerSource::Registration);
        let set = &self.set;
        set.servers.registry.add(entry).map_err(|error| internal(&error))?;
        set.rights.access.set_session_server(&id, tag);
        let (server, commands) = set.supervision.server(spec);
        server.succession.set_added_at_runtime();
        if !set.start(&server, commands, None) {
            return Err(ErrorCode::ServerDraining.error("the kernel stops: no more tools are made"));
        }
        let _ = tokio::time::timeout(START_LIMIT, server.first_start()).await;
        let named = set.tools.names.view().named(tool);
        named.ok_or_else(|| internal(&"the server of the tool did not start"))
    }
}

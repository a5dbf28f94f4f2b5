//! The removal of created tools: with their session, or when another tool replaces them.

use super::{ToolCreator, events::removed};
use mgp_toolindex::session::ToolSession;
use mgp_transport::seam::Peer;
use mgp_types::{
    context::{ActorType, Principal, SessionTag},
    lifecycle::ShutdownReason,
    permission::{Permission, StandardPermission},
};
use std::{sync::Arc, time::Duration};

/// The interval between two checks for expired sessions of the stateless era.
const LOOK: Duration = Duration::from_secs(60);

impl ToolCreator {
    /// Schedules the removal of a tool for the end of its session.
    pub(super) fn end_with_session(
        self: &Arc<Self>,
        session: &ToolSession,
        host: Option<Peer>,
        server_id: &str,
    ) {
        let (creator, tag, ended) = (Arc::downgrade(self), session.tag(), session.ended());
        let server_id = server_id.to_owned();
        tokio::spawn(async move {
            let closed = async {
                match host {
                    Some(host) => host.closed().await,
                    None => std::future::pending().await,
                }
            };
            tokio::pin!(closed);
            let ended = async {
                tokio::select! {
                    () = ended => {}
                    () = &mut closed => {}
                }
            };
            tokio::pin!(ended);
            loop {
                match tokio::time::timeout(LOOK, &mut ended).await {
                    Ok(()) => break,
                    Err(_) => match creator.upgrade() {
                        Some(creator) => creator.set.tools.handles.forget_idle(),
                        None => return,
                    },
                }
            }
            if let Some(creator) = creator.upgrade() {
                creator.end_made(tag, &server_id, "its session ended").await;
            }
        });
    }

    /// Removes a tool, unless this was done before: its server drains and is forgotten.
    pub(super) async fn end_made(&self, session: SessionTag, server_id: &str, reason: &str) {
        let Some(made) = self.creation.made.remove(session, server_id) else { return };
        self.end_made_server(server_id, ShutdownReason::IdleTimeout);
        let code_execution = Permission::Standard(StandardPermission::CodeExecution);
        let kernel = Principal::new("kernel", ActorType::Kernel, true);
        if let Err(error) = self.set.rights.permissions.revoke(server_id, &code_execution, &kernel).await {
            tracing::error!(server = server_id, error = error.message, "an operator's decision on it stays");
        }
        let trail = &self.set.rights.trail;
        trail.store(removed(&trail.myself, server_id, &made.agent_id, reason)).await;
    }

    /// Removes the server of a tool.
    pub(super) fn end_made_server(&self, server_id: &str, reason: ShutdownReason) {
        let server = self.set.servers.all().iter().find(|server| server.id() == server_id).cloned();
        if let Some(server) = server {
            self.set.remove(&server, reason);
        }
    }
}

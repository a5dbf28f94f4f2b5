//! The kernel's observer of its servers.

use crate::{
    catalog::{instructions::warn_of_closed_offers, tools::Tools},
    exchange::{forward_log, roots},
    features::{announce, audit_forwarding::forward_to_server, events::KernelEvents, tasks::TaskNews},
    ground::changes::Change,
    host::Hosts,
    rights::rights::Rights,
    upstream::{Link, ListedTool, Server, ServerObserver, StarAnswer, servers::Servers},
};
use async_trait::async_trait;
use futures_core::future::BoxFuture;
use mgp_lifecycle::health::ProbeMethod;
use mgp_security::audit::EventDraft;
use mgp_transport::seam::Incoming;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    events::{Event, SubscribeParams},
    json::RawObject,
    mcp::{
        LogMessage,
        tasks::{core::TaskStatusChanged, extension::TaskChanged},
    },
    rpc::{ErrorObject, Notice, RawResult},
};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The kernel's observer of its servers, which connects them with the catalogue, the features and the hosts.
pub(super) struct KernelObserver {
    pub(super) servers: Arc<Servers>,
    pub(super) rights: Arc<Rights>,
    pub(super) tools: Arc<Tools>,
    pub(super) hosts: Hosts,
    pub(super) tasks: TaskNews,
    pub(super) events: KernelEvents,
}

#[async_trait]
impl ServerObserver for KernelObserver {
    /// Notifies the hosts, too. Records the tools that are hidden because of their names, each once, and only a limited number for each
    /// server.
    async fn tools_listed(&self, server: &Arc<Server>) {
        let hidden = match self.tools.take_over(server, &self.servers.registry).await {
            Ok(hidden) => hidden,
            Err(error) => {
                return tracing::error!(server = server.id(), %error, "its tools could not be indexed");
            }
        };
        // The tools of a session's server are only shown in that session, and its host is notified when they are created.
        if server.spec.session.is_none() {
            self.tools.shown_changed(&self.hosts);
        }
        let trail = &self.rights.trail;
        for conflict in server.warnings.newly_hidden(&hidden) {
            tracing::warn!(tool = %conflict.tool, reason = conflict.reason, "tool hidden");
            let event = EventDraft::new(AuditEventType::ToolBlocked, &trail.myself)
                .server(server.id())
                .tool(&conflict.tool.tool_name)
                .result(AuditResult::Blocked)
                .detail("code", &conflict.to_error().code)
                .detail("reason", conflict.reason);
            trail.store(event.finish()).await;
        }
    }

    async fn tools_recalled(&self, servers: &[Arc<Server>]) {
        if let Err(error) = self.tools.take_over_all(servers, &self.servers.registry).await {
            tracing::error!(%error, "the tools of servers that do not run could not be indexed");
        }
        self.tools.shown_changed(&self.hosts);
    }

    fn has_tools(&self, server: &Arc<Server>, tools: &[ListedTool]) -> bool {
        self.tools.has_indexed(server, tools) && !self.tools.unpinned.contains(server.id())
    }

    fn offers_changed(&self, change: Change) {
        self.hosts.changed(change);
    }

    /// Notifies the hosts that the server's tools are gone or back.
    fn set_stopped(&self, server: &Server, is_stopped: bool) {
        if self.rights.stopped.set(server.id(), is_stopped) {
            self.tools.shown_changed(&self.hosts);
        }
    }

    fn listed(&self, server: &Server) {
        warn_of_closed_offers(&self.rights.access, server);
    }

    async fn connected(&self, server: &Server) {
        roots::offer(&self.hosts, server).await;
    }

    fn announce_permissions(&self, server: &Arc<Server>, link: &Arc<Link>) -> oneshot::Receiver<()> {
        announce::permissions(&self.rights, &self.tools.load(), server, link)
    }

    async fn while_connected(&self, server: &Server, link: &Link, method: ProbeMethod) {
        forward_to_server(&self.rights.trail, server, link, method).await;
    }

    fn request(
        &self,
        server: &Arc<Server>,
        message: Incoming,
    ) -> BoxFuture<'static, Result<RawResult, ErrorObject>> {
        let server = server.clone();
        if let Some(task) = self.tasks.task_of_question(&server, &message) {
            let tasks = self.tasks.clone();
            return Box::pin(async move { tasks.answer_question(&server, message, task?).await });
        }
        let (hosts, method) = (self.hosts.clone(), message.method.clone());
        Box::pin(async move {
            let outside = || roots::host_of(&hosts, &server, &method);
            server.exchange.answer(message, &outside).await
        })
    }

    async fn notification(&self, server: &Arc<Server>, message: &Incoming) {
        match &*message.method {
            LogMessage::METHOD => forward_log(server, &self.hosts, message).await,
            TaskStatusChanged::METHOD | TaskChanged::METHOD => {
                if let Ok(params) = message.params.object() {
                    self.tasks.changed(server, params).await;
                }
            }
            Event::METHOD => {
                let params = message.params.object().cloned().unwrap_or_else(|_| RawObject::new());
                self.events.receive(server, &params).await;
            }
            method => tracing::trace!(server = server.id(), method, "notification ignored"),
        }
    }

    async fn resource_updated(&self, server: &Server, uri: &str) {
        self.hosts.resource_updated(&self.rights.access, server.id(), uri).await;
    }

    fn wanted_events(&self, server: &Server, star: StarAnswer) -> Option<SubscribeParams> {
        self.events.wanted_of(server.id(), star)
    }

    fn keeps_awake(&self, server: &Server) -> bool {
        self.events.keeps_awake(server.id())
    }

    fn wanted_tasks(&self, server: &Arc<Server>) -> Vec<String> {
        self.tasks.tasks.wanted_of(server)
    }

    fn runs_task(&self, server: &Arc<Server>) -> bool {
        self.tasks.tasks.runs_at(server)
    }
}

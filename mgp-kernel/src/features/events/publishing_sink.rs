//! Publishes stored events of the audit trail in the kernel's own channels.

use super::KernelEvents;
use crate::ground::own_channel::{OwnChannel, requested_by};
use mgp_security::{
    access::AccessControl,
    audit::{AuditError, AuditSink, StoreFuture},
};
use mgp_stream::events::{ChannelEvent, MAX_DATA};
use mgp_transport::seam::Visibility;
use mgp_types::{
    audit::{AuditEvent, AuditTarget},
    context::{ActorType, Principal, ToolId},
    json::{JsonError, RawJson, RawObject},
};
use serde::Serialize;
use std::sync::Arc;

/// A sink that publishes each event once its inner sink has stored the event.
#[derive(Debug)]
pub(crate) struct PublishingSink {
    inner: Arc<dyn AuditSink>,
    events: KernelEvents,
}

impl PublishingSink {
    pub(crate) fn new(inner: Arc<dyn AuditSink>, events: KernelEvents) -> Self {
        Self { inner, events }
    }
}

impl AuditSink for PublishingSink {
    fn record(&self, event: AuditEvent) -> StoreFuture {
        if !self.events.is_heard() {
            return self.inner.record(event);
        }
        let (stored, events) = (self.inner.record(event.clone()), self.events.clone());
        StoreFuture::after(async move {
            let outcome = stored.await;
            if outcome.is_ok() {
                events.audited(&event);
            }
            outcome
        })
    }

    fn keeps(&self) -> bool {
        self.inner.keeps()
    }

    fn admit(&self) -> Result<(), AuditError> {
        self.inner.admit()
    }
}

/// The data of an event in the kernel's own channels. An operator gets the whole audit event in `system.audit`. Other channels get these
/// members, which contain no arguments, results or reasons.
#[derive(Serialize)]
struct EventSummary<'a> {
    event_type: &'a str,
    result: mgp_types::audit::AuditResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<&'a str>,
}

impl KernelEvents {
    /// Publishes an event that the audit trail has stored. An event that a server reports is published only in `system.audit`, because hosts
    /// would trust it in the other channels.
    fn audited(&self, event: &AuditEvent) {
        let is_of_server = event.actor.kind == ActorType::Server;
        for channel in OwnChannel::of_event(event).filter(|_| !is_of_server) {
            let target = event.target.get();
            let request_id = event.details.as_ref().and_then(|details| details.text("request_id"));
            let subject = EventSubject::of(channel, event, self.access.clone());
            let summary = EventSummary {
                event_type: event.event_type.as_str(),
                result: event.result,
                agent_id: subject.agent.as_deref(),
                tool_name: target.and_then(|target| target.tool_name.get()).map(String::as_str),
                request_id: request_id.as_deref(),
                trace_id: event.trace_id.get().map(String::as_str),
            };
            let data = RawJson::from_value(&summary);
            self.publish_own(channel, event, data, move |who| subject.may_hear(who));
        }
        if self.hub.takes(OwnChannel::Audit.as_str()) {
            self.publish_own(OwnChannel::Audit, event, RawJson::from_value(event), Principal::is_admin);
        }
    }

    fn publish_own(
        &self,
        channel: OwnChannel,
        event: &AuditEvent,
        data: Result<RawJson, JsonError>,
        may_hear: impl Fn(&Principal) -> bool + Send + Sync + 'static,
    ) {
        let data = match data {
            Ok(data) if data.as_bytes().len() <= MAX_DATA => data,
            // The trail has the whole event.
            _ => RawObject::from_iter([("event_type", RawJson::string(event.event_type.as_str()))]).to_json(),
        };
        let server = event.target.get().and_then(|target| target.server_id.get());
        let event = ChannelEvent {
            channel: channel.as_str().into(),
            server_id: server.map(|id| id.as_str().into()),
            timestamp: event.timestamp.clone(),
            severity: Some(channel.severity()),
            data: Some(data),
        };
        self.hub.publish_to(event, move |who| who.is_some_and(&may_hear));
    }
}

/// The agent, the server and the tool of an event of the trail, which decide who receives the event.
struct EventSubject {
    /// The agent, or the operator in the case of the operator's own call.
    agent: Option<String>,
    tool: Option<ToolId>,
    server: Option<String>,
    access: AccessControl,
}

impl EventSubject {
    fn of(channel: OwnChannel, event: &AuditEvent, access: AccessControl) -> Self {
        if let Some(agent) = requested_by(event) {
            // The agent named the server itself, and may never see it.
            return Self { agent: Some(agent), tool: None, server: None, access };
        }
        let AuditTarget { server_id, tool_name } = event.target.get().cloned().unwrap_or_default();
        let (server, tool) = (server_id.get().cloned(), tool_name.get().cloned());
        let agent = event.details.as_ref().and_then(|details| details.text("agent_id"));
        let is_subject = match event.actor.kind {
            ActorType::Agent | ActorType::Delegated => true,
            // A call belongs to its caller, even if that is an operator. A decision does not belong to its operator.
            ActorType::Operator => channel.is_of_calls(),
            ActorType::Kernel | ActorType::Server => false,
        };
        Self {
            agent: agent.or_else(|| is_subject.then(|| event.actor.id.clone())),
            tool: server.as_deref().zip(tool.as_deref()).map(|(server, tool)| ToolId::new(server, tool)),
            server,
            access,
        }
    }

    /// Returns whether a principal may receive the event. With the admin role, it receives every event. Otherwise it receives events
    /// about itself or about nobody, if it may see their tool or server.
    fn may_hear(&self, who: &Principal) -> bool {
        if who.is_admin() {
            return true;
        }
        if self.agent.as_deref().is_some_and(|agent| agent != who.id()) {
            return false;
        }
        let view = self.access.view(who);
        match (&self.tool, &self.server) {
            (Some(tool), _) => view.sees(tool),
            (None, Some(server)) => view.sees_server(server),
            (None, None) => self.agent.is_some(),
        }
    }
}

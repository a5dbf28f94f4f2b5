//! The audit events of registrations and deregistrations of servers, and of refused requests for them.

use mgp_discovery::{
    config::{Text, Transport},
    registration::{Registration, RequestedServer},
};
use mgp_security::{audit::EventDraft, permission::APPROVAL_NEEDED};
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditResult},
    context::Principal,
    error::{ErrorCategory, ErrorCode},
    rpc::ErrorObject,
};

/// The type of the event of a registered server, or of a failed request to register one.
pub(super) const REGISTERED: &str = "dev.cloto.mgp.SERVER_REGISTERED";
/// The type of the event of a deregistered server, or of a failed request to deregister one.
pub(super) const DEREGISTERED: &str = "dev.cloto.mgp.SERVER_DEREGISTERED";

/// The type of the event of a withdrawn denial of a requested server.
pub(super) const DENIAL_REVOKED: &str = "dev.cloto.mgp.SERVER_DENIAL_REVOKED";

/// The maximum length of a text in the trail, in characters.
const MAX_SHOWN: usize = 1000;

pub(super) fn registered(caller: &Principal, registration: &Registration) -> EventDraft {
    let server = &registration.server;
    let mut event = EventDraft::new(REGISTERED.into(), caller).server(&server.id);
    event = match server.transport() {
        Transport::Stdio => {
            let command = server.command.iter().chain(&server.args);
            let line: Vec<_> = command.map(Text::value).collect();
            // The environment is left out, because it may contain secrets.
            event.detail("command", short(&line.join(" ")))
        }
        // Only commands and addresses are registered.
        Transport::Openapi | Transport::Commands => event,
        // A query may contain a key.
        Transport::Http => {
            let url = server.url.as_ref().map_or("", |url| url.value());
            event.detail("url", short(url.split(['?', '#']).next().unwrap_or_default()))
        }
    };
    if let Some(why) = &registration.justification {
        event = event.detail("justification", short(why));
    }
    event.detail("trust_level", &Registration::TRUST)
}

pub(super) fn needed(caller: &Principal, asked: &RequestedServer) -> AuditEvent {
    let event = EventDraft::new(APPROVAL_NEEDED.into(), caller).server(asked.registration.id());
    event.detail("request_id", &asked.request_id).finish()
}

pub(super) fn deregistered(caller: &Principal, found: &Registration, reason: Option<&str>) -> AuditEvent {
    let mut event = EventDraft::new(DEREGISTERED.into(), caller)
        .server(found.id())
        .detail("registered_by", &found.created_by)
        .detail("registered_at", &found.created_at);
    if let Some(reason) = reason {
        event = event.detail("reason", short(reason));
    }
    event.finish()
}

/// Returns the event of a removed row that could not be parsed, so that the registering caller is unknown.
pub(super) fn unusable_removed(caller: &Principal, id: &str, reason: Option<&str>) -> AuditEvent {
    let mut event = EventDraft::new(DEREGISTERED.into(), caller).server(id).detail("unusable", &true);
    if let Some(reason) = reason {
        event = event.detail("reason", short(reason));
    }
    event.finish()
}

/// Returns the event of a refusal. `server_id` is the id in the request, if it could be parsed.
pub(super) fn refused(
    event_type: &str,
    caller: &Principal,
    server_id: Option<&str>,
    error: &ErrorObject,
) -> AuditEvent {
    refusal(event_type, caller, server_id, error).finish()
}

/// Returns the event of a denied request for a server.
pub(super) fn denied(by: &Principal, asked: &RequestedServer) -> AuditEvent {
    let error = ErrorCode::PermissionDenied.error(format!("request {} was denied", asked.request_id));
    let event = refusal(REGISTERED, by, Some(asked.registration.id()), &error);
    requested(event, asked).finish()
}

/// Adds the request for a server to the event of its decision.
pub(super) fn requested(event: EventDraft, asked: &RequestedServer) -> EventDraft {
    event.detail("request_id", &asked.request_id).detail("requested_by", &asked.registration.created_by)
}

fn refusal(event_type: &str, caller: &Principal, server_id: Option<&str>, error: &ErrorObject) -> EventDraft {
    let mut event = EventDraft::new(AuditEventType::from(event_type), caller);
    if let Some(id) = server_id {
        event = event.server(short(id));
    }
    let category = ErrorCode::from_code(error.code).map(ErrorCode::category);
    let result = match category {
        Some(ErrorCategory::Security) => AuditResult::Blocked,
        _ => AuditResult::Failure,
    };
    event.result(result).detail("code", &error.code).detail("reason", short(&error.message))
}

fn short(text: &str) -> &str {
    text.char_indices().nth(MAX_SHOWN).map_or(text, |(end, _)| &text[..end])
}

//! A server's questions to a host: sampling, elicitation, roots. Each question can be refused for a server, each is recorded, and
//! none can pass for a question of the kernel's own.

use super::{Caller, Server};
use crate::session::remove_profile;
use mgp_discovery::config::HostFeature;
use mgp_security::audit::{EventDraft, OpenEvent};
use mgp_transport::seam::CallError;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::{ActorType, Principal},
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{ClientCapabilities, CreateMessage, Elicit, ListRoots},
    mgp_member, request_meta,
    rpc::{Call, ErrorObject, RawParams, RawResult},
};
use std::time::Duration;

/// The most questions that a server may ask at once.
pub(super) const MOST_AT_ONCE: usize = 32;

/// The type of the event that records a question.
const HOST_ASKED: &str = "dev.cloto.mgp.HOST_ASKED";

/// Asks a host a server's question, and waits at most `limit` for the answer. `key` is the key under which a server of a stateless
/// revision asks.
///
/// # Errors
/// The error for the server: the reason why the host was not asked, or the host's own error.
pub(in crate::kernel) async fn ask(
    server: &Server,
    caller: &Caller,
    limit: Duration,
    key: Option<&str>,
    method: &str,
    params: RawParams,
) -> Result<RawResult, ErrorObject> {
    server.rights.trail.sink.admit().map_err(|error| error.refusal())?;
    caller.note_seen();
    let open = open_event(server, caller, method);
    let _standing_still = caller.clock.pause();
    let asked = tokio::time::timeout(limit, try_ask(server, caller, key, method, params));
    let asked = asked.await.unwrap_or_else(|_| {
        Err(QuestionRefusal::Failed(
            ErrorCode::Timeout.error_outcome_unknown("the host did not answer in time"),
        ))
    });
    recorded(open, asked).await
}

/// Prepares and records a question that the host gets in the answer to its own request, so that there is no answer to wait for.
///
/// # Errors
/// The reason why the host must not see the question.
pub(super) async fn hand_over(
    server: &Server,
    caller: &Caller,
    method: &str,
    params: &mut RawObject,
) -> Result<(), ErrorObject> {
    recorded(open_event(server, caller, method), prepare(server, caller, method, params).map(drop)).await
}

/// Stores the event of a question, and then returns the outcome of the question.
async fn recorded<T>(open: OpenEvent, asked: Result<T, QuestionRefusal>) -> Result<T, ErrorObject> {
    let result = match &asked {
        Ok(_) => AuditResult::Success,
        Err(QuestionRefusal::Forbidden(_)) => AuditResult::Blocked,
        Err(QuestionRefusal::Failed(_)) => AuditResult::Failure,
    };
    open.close(|event| event.result(result).finish()).await.map_err(|error| {
        tracing::error!(%error, "a question of a server could not be recorded: refused");
        ErrorObject::internal("internal error: the audit trail cannot be written")
    })?;
    asked.map_err(QuestionRefusal::into_error)
}

/// Begins the event of a question. A question that is dropped with its call gets the event of a question that nobody answered.
fn open_event(server: &Server, caller: &Caller, method: &str) -> OpenEvent {
    let myself = Principal::new(server.id(), ActorType::Server, false);
    let mut event = EventDraft::new(AuditEventType::from(HOST_ASKED), &myself)
        .server(server.id())
        .detail("method", method);
    if let Some(principal) = &caller.principal {
        event = event.detail("agent", principal.id());
    }
    if let Some(trace) = &caller.trace {
        event = event.trace(trace);
    }
    OpenEvent::begin(&server.rights.trail.sink, event)
}

enum QuestionRefusal {
    /// The configuration or the host's capabilities forbid the question.
    Forbidden(ErrorObject),
    /// The host failed, or said no.
    Failed(ErrorObject),
}

impl QuestionRefusal {
    fn into_error(self) -> ErrorObject {
        match self {
            Self::Forbidden(error) | Self::Failed(error) => error,
        }
    }
}

async fn try_ask(
    server: &Server,
    caller: &Caller,
    key: Option<&str>,
    method: &str,
    params: RawParams,
) -> Result<RawResult, QuestionRefusal> {
    let mut params = params.into_object().map_err(QuestionRefusal::Failed)?;
    prepare(server, caller, method, &mut params)?;
    // Hosts of stateless revisions hear nothing of its end.
    if method == Elicit::METHOD && caller.parked.is_none() {
        server.elicited.asked(&params, &caller.peer);
    }
    let answer = match &caller.parked {
        Some(parked) => {
            let key = key.map_or_else(|| method.replace('/', "-"), str::to_owned);
            parked.ask(&key, method, params.into()).await
        }
        None => caller.peer.request_raw(method.to_owned(), params).await,
    };
    let mut answer = answer.map_err(|error| {
        QuestionRefusal::Failed(match error {
            CallError::Peer(error) => error.to_plain_mcp(),
            error => ErrorObject::internal(format!("the host could not be asked: {error}")),
        })
    })?;
    if answer.may_hold("mgp")
        && let Ok(mut object) = RawObject::from_json(&answer)
    {
        mgp_member::strip(&mut object);
        answer = object.to_json();
    }
    Ok(answer)
}

/// Turns a server's question into the question for the host, if the server may ask it and the host can be asked.
fn prepare(
    server: &Server,
    caller: &Caller,
    method: &str,
    params: &mut RawObject,
) -> Result<(), QuestionRefusal> {
    let feature =
        feature(method).ok_or_else(|| QuestionRefusal::Forbidden(ErrorObject::method_not_found(method)))?;
    if !server.spec.host_features.contains(&feature) {
        let problem = format!("{method} is not allowed to server {:?}", server.id());
        return Err(QuestionRefusal::Forbidden(ErrorCode::AccessDenied.error(problem)));
    }
    if !can(&caller.capabilities(), feature, params) {
        return Err(QuestionRefusal::Forbidden(ErrorObject::method_not_found(method)));
    }
    clean(params);
    if feature == HostFeature::Elicitation {
        name_asker(params, server.id());
    }
    Ok(())
}

/// Returns whether a method is one by which servers ask hosts.
pub(super) fn is_question(method: &str) -> bool {
    feature(method).is_some()
}

/// Returns whether a host can be asked a question.
fn can(host: &ClientCapabilities, feature: HostFeature, params: &RawObject) -> bool {
    match feature {
        HostFeature::Sampling => host.sampling(),
        HostFeature::Roots => host.roots(),
        HostFeature::Elicitation if params.text("mode").as_deref() == Some("url") => host.elicits_urls(),
        HostFeature::Elicitation => host.elicits_forms(),
    }
}

fn feature(method: &str) -> Option<HostFeature> {
    match method {
        CreateMessage::METHOD => Some(HostFeature::Sampling),
        Elicit::METHOD => Some(HostFeature::Elicitation),
        ListRoots::METHOD => Some(HostFeature::Roots),
        _ => None,
    }
}

/// Removes the members that concern only the server and the kernel.
fn clean(params: &mut RawObject) {
    mgp_member::strip(params);
    remove_profile(params);
    request_meta::remove_progress_token(params);
}

/// Names the server in the message, so that no server's question passes for the kernel's or for another server's.
fn name_asker(params: &mut RawObject, server_id: &str) {
    let message = params.text("message").unwrap_or_default();
    params.insert("message", RawJson::string(format!("[{server_id}] {message}").as_str()));
}

/// Names the server in the questions of its task, and leaves out the questions that the server may not ask.
pub(in crate::kernel) fn name_questions(result: &mut RawObject, server: &Server) {
    let Some(requests) = result.object("inputRequests") else { return };
    let mut named = RawObject::new();
    for (key, request) in requests.iter() {
        let Ok(mut request) = RawObject::from_json(request) else { continue };
        let feature = request.text("method").and_then(|method| feature(&method));
        if !feature.is_some_and(|feature| server.spec.host_features.contains(&feature)) {
            if let Some(left_out) = server.warnings.questions.admit() {
                tracing::warn!(
                    server = server.id(),
                    key,
                    left_out,
                    "a task asks what its server may not: not passed on"
                );
            }
            continue;
        }
        if feature == Some(HostFeature::Elicitation)
            && let Some(mut params) = request.object("params")
        {
            name_asker(&mut params, server.id());
            request.insert("params", params.to_json());
        }
        named.insert_named(key, request.to_json());
    }
    result.insert("inputRequests", named.to_json());
}

/// Returns the part of a host's capabilities that a server may know of.
pub(super) fn capabilities_for(server: &Server, host: &ClientCapabilities) -> RawObject {
    let mut capabilities = RawObject::new();
    for feature in &server.spec.host_features {
        let key = feature.as_str();
        if let Some(value) = host.0.get(key) {
            capabilities.insert_named(key, value.clone());
        }
    }
    capabilities
}

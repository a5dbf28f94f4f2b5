//! A server's questions to a host: sampling, elicitation, roots, callbacks. Each can be forbidden for a server, each is recorded, and none
//! can pass for a question of the kernel.

use super::{callback_bridge, url_elicitations::UrlElicitations};
use crate::{
    ground::caller::Caller,
    upstream::{HostQuestion, Server, add_passed, check_allowed, feature_of, name_asker},
};
use mgp_client_sdk::session::remove_profile;
use mgp_discovery::config::HostFeature;
use mgp_security::audit::{EventDraft, OpenEvent};
use mgp_transport::seam::{CallError, Incoming};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    callback::CallbackRequest,
    context::{ActorType, Principal},
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{ClientCapabilities, Elicit},
    mgp_member, request_meta,
    rpc::{Call, ErrorObject, JsonRpcCode, Notice, RawParams, RawResult},
};
use std::time::Duration;

/// The maximum number of concurrent questions of a server.
pub(super) const MOST_AT_ONCE: usize = 32;

/// The type of the event that records a question.
const HOST_ASKED: &str = "dev.cloto.mgp.HOST_ASKED";

/// Asks a host a server's question.
///
/// # Errors
/// The error for the server: the reason why the host was not asked, or the host's own error.
pub(super) async fn ask(
    elicited: &UrlElicitations,
    server: &Server,
    caller: &Caller,
    question: HostQuestion<'_>,
) -> Result<RawResult, ErrorObject> {
    put(server, caller, question.method, try_ask(elicited, server, caller, question)).await
}

/// Asks a host a server's callback (§13.4), and waits at most `limit` for the response.
///
/// # Errors
/// The error for the server: the reason why the host was not asked, or the host's own error.
pub(super) async fn ask_callback(
    server: &Server,
    caller: &Caller,
    limit: Duration,
    params: RawParams,
) -> Result<RawJson, ErrorObject> {
    let asked = async {
        let mut params = params.into_object().map_err(QuestionRefusal::Failed)?;
        prepare(server, caller, HostFeature::Callback, CallbackRequest::METHOD, &mut params)?;
        callback_bridge::ask(caller, limit, &params).await
    };
    put(server, caller, CallbackRequest::METHOD, asked).await
}

/// Asks a host. Records the question, and stops the clocks of the calls that it may belong to meanwhile.
async fn put<T>(
    server: &Server,
    caller: &Caller,
    method: &str,
    asked: impl Future<Output = Result<T, QuestionRefusal>>,
) -> Result<T, ErrorObject> {
    server.rights.trail.sink.admit().map_err(|error| error.refusal())?;
    caller.note_seen();
    let open = open_event(server, caller, method);
    let _standing_still = caller.pause();
    let asked = asked.await;
    recorded(open, asked).await
}

/// Prepares and records a question that is part of the answer to the host's own request, so that no answer is awaited.
///
/// # Errors
/// The reason why the host must not see the question.
pub(super) async fn hand_over(
    server: &Server,
    caller: &Caller,
    method: &str,
    params: &mut RawObject,
) -> Result<(), ErrorObject> {
    let prepared =
        needed_feature(method).and_then(|feature| prepare(server, caller, feature, method, params));
    recorded(open_event(server, caller, method), prepared).await
}

/// Stores the event of a question, and then returns its outcome.
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

/// Begins the event of a question. If the question is dropped with its call, the event records that nobody answered.
fn open_event(server: &Server, caller: &Caller, method: &str) -> OpenEvent {
    let myself = Principal::new(server.id(), ActorType::Server, false);
    let mut event =
        EventDraft::new(AuditEventType::from(HOST_ASKED), &myself).server(server.id()).method(method);
    if let Some(principal) = &caller.principal {
        event = event.detail("agent", principal.id());
    }
    if let Some(trace) = &caller.trace {
        event = event.trace(trace);
    }
    OpenEvent::begin(&server.rights.trail.sink, event)
}

/// The reason why a question has no answer.
pub(super) enum QuestionRefusal {
    /// The configuration or the host's capabilities forbid the question.
    Forbidden(ErrorObject),
    /// The host failed or declined.
    Failed(ErrorObject),
}

impl QuestionRefusal {
    fn into_error(self) -> ErrorObject {
        match self {
            Self::Forbidden(error) | Self::Failed(error) => error,
        }
    }

    pub(super) fn timed_out() -> Self {
        Self::Failed(ErrorCode::Timeout.error_outcome_unknown("the host did not answer in time"))
    }
}

/// Returns the refusal of a question that did not reach the host.
pub(super) fn not_asked(error: &dyn std::fmt::Display) -> QuestionRefusal {
    QuestionRefusal::Failed(ErrorObject::internal(format!("the host could not be asked: {error}")))
}

async fn try_ask(
    elicited: &UrlElicitations,
    server: &Server,
    caller: &Caller,
    HostQuestion { key, limit, method, params }: HostQuestion<'_>,
) -> Result<RawResult, QuestionRefusal> {
    let feature = needed_feature(method)?;
    check_allowed(server, feature, method).map_err(QuestionRefusal::Forbidden)?;
    let params = searched(server, caller, method, params).await;
    let mut params = params.and_then(RawParams::into_object).map_err(QuestionRefusal::Failed)?;
    prepare(server, caller, feature, method, &mut params)?;
    if method == Elicit::METHOD
        && let Some(form) = callback_bridge::as_callback(caller, &params)
    {
        return callback_bridge::elicit(caller, limit, form).await;
    }
    // Hosts of stateless revisions are not notified of its end.
    if method == Elicit::METHOD && caller.parked.is_none() {
        elicited.asked(&params, &caller.peer);
    }
    let mut answer = request(caller, key, limit, method, params).await?;
    if answer.may_hold("mgp")
        && let Ok(mut object) = RawObject::from_json(&answer)
    {
        mgp_member::strip(&mut object);
        answer = object.to_json();
    }
    Ok(answer)
}

/// Returns the params of a question in the form that may leave the kernel: their texts are searched for secrets, like results. A URL for
/// the user to visit is not changed, because it may require a text that looks like a secret.
///
/// # Errors
/// If the question must not leave, because it could not be searched.
pub(super) async fn searched(
    server: &Server,
    caller: &Caller,
    method: &str,
    params: RawParams,
) -> Result<RawParams, ErrorObject> {
    if params.object()?.text("mode").as_deref() == Some("url") {
        return Ok(params);
    }
    let mut question = Incoming::notification(method.to_owned(), params);
    if let Some(principal) = &caller.principal {
        question.set_principal(principal.clone());
    }
    let params = server.path.results.notification(question).await;
    params.ok_or_else(|| {
        ErrorCode::UpstreamError
            .error(format!("{method} of the server is withheld: it could not be searched for secrets"))
    })
}

/// Sends a question as a request, or as a question in a round to a host of a stateless revision.
pub(super) async fn request(
    caller: &Caller,
    key: Option<&str>,
    limit: Duration,
    method: &str,
    params: RawObject,
) -> Result<RawResult, QuestionRefusal> {
    let answer = async {
        match &caller.parked {
            Some(parked) => {
                let key = key.map_or_else(|| method.replace('/', "-"), str::to_owned);
                parked.ask(&key, method, params.into()).await
            }
            None => caller.peer.request_raw(method.to_owned(), params).await,
        }
    };
    match tokio::time::timeout(limit, answer).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(CallError::Peer(error))) => Err(QuestionRefusal::Failed(error.to_plain_mcp())),
        Ok(Err(error)) => Err(not_asked(&error)),
        Err(_) => Err(QuestionRefusal::timed_out()),
    }
}

/// Converts a server's question for the host, if the server may ask it and the host can be asked.
fn prepare(
    server: &Server,
    caller: &Caller,
    feature: HostFeature,
    method: &str,
    params: &mut RawObject,
) -> Result<(), QuestionRefusal> {
    check_allowed(server, feature, method).map_err(QuestionRefusal::Forbidden)?;
    if !can(caller, feature, params) {
        return Err(QuestionRefusal::Forbidden(cannot(feature, method)));
    }
    // Models and forms of hosts cannot handle unpaired surrogates.
    if let Some(whole) = params.to_json().without_lone_surrogates() {
        *params = RawObject::from_json(&whole)
            .map_err(|error| QuestionRefusal::Failed(ErrorObject::invalid_params(error.to_string())))?;
    }
    clean(params);
    if matches!(feature, HostFeature::Elicitation | HostFeature::Callback) {
        name_asker(params, server.id());
    }
    Ok(())
}

/// Returns the error for a host that cannot be asked.
fn cannot(feature: HostFeature, method: &str) -> ErrorObject {
    if feature != HostFeature::Callback {
        return ErrorObject::method_not_found(method);
    }
    let problem = "the host of the call answers no callbacks and shows no forms: nobody was asked";
    ErrorObject::new(JsonRpcCode::MethodNotFound, problem)
}

/// Returns whether a host can be asked a question.
fn can(caller: &Caller, feature: HostFeature, params: &RawObject) -> bool {
    let host = caller.capabilities();
    match feature {
        HostFeature::Sampling => host.sampling(),
        HostFeature::Roots => host.roots(),
        HostFeature::Elicitation if params.text("mode").as_deref() == Some("url") => host.elicits_urls(),
        HostFeature::Elicitation => {
            host.elicits_forms() || callback_bridge::as_callback(caller, params).is_some()
        }
        HostFeature::Callback => host.elicits_forms() || callback_bridge::takes_callbacks(caller),
    }
}

/// Returns the feature that the method of a question needs.
///
/// # Errors
/// If the method is not a question.
fn needed_feature(method: &str) -> Result<HostFeature, QuestionRefusal> {
    feature_of(method).ok_or_else(|| QuestionRefusal::Forbidden(ErrorObject::method_not_found(method)))
}

/// Removes the members that only concern the server and the kernel.
fn clean(params: &mut RawObject) {
    mgp_member::strip(params);
    remove_profile(params);
    request_meta::remove_progress_token(params);
}

/// Returns the capabilities of a host that a server may see.
pub(super) fn capabilities_for(server: &Server, host: &ClientCapabilities) -> RawObject {
    let mut capabilities = RawObject::new();
    for feature in &server.spec.host_features {
        let key = feature.as_str();
        if let Some(value) = host.0.get(key) {
            capabilities.insert_named(key, value.clone());
        }
    }
    add_passed(server, host, &mut capabilities);
    capabilities
}

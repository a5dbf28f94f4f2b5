//! §13.4 Answers the callbacks of a server, by asking the host of their call.

use super::{
    Exchange, callback_bridge,
    callback_records::{CallbackRecords, Entry, RecordedQuestion},
    questions,
};
use crate::{
    ground::caller::Caller,
    upstream::{LOG_TIMEOUT, Server, check_allowed, named},
};
use mgp_client_sdk::{
    callbacks::{answer, error_response, no_such_call, not_supported},
    session::has_session,
};
use mgp_discovery::config::HostFeature;
use mgp_transport::seam::Peer;
use mgp_types::{
    callback::{CallbackRequest, CallbackRequestParams, CallbackType},
    json::RawJson,
    negotiation::{Extension, Negotiation},
    rpc::{ErrorObject, Notice, RawParams},
};
use std::{sync::Arc, time::Duration};

/// The maximum size of a callback, in bytes.
const MAX_CALLBACK: usize = 64 * 1024;

/// Handles a callback of a server. A question is put to its host in a separate task, and the response is sent to the server. A text that needs
/// no answer is sent to the host before this returns, so that it precedes the answer of its call. The host is that of the request that the
/// callback names, else that of `stream`, the call whose stream carried the callback, else the only host with calls in flight.
pub(super) async fn take(
    exchange: &Exchange,
    server: &Arc<Server>,
    peer: &Peer,
    params: &RawParams,
    stream: Option<i64>,
) {
    if let Err(reason) = try_take(exchange, server, peer, params, stream).await {
        exchange.callbacks.refuse(peer, params, &reason);
    }
}

/// # Errors
/// The reason why no host is asked.
async fn try_take(
    exchange: &Exchange,
    server: &Arc<Server>,
    peer: &Peer,
    params: &RawParams,
    stream: Option<i64>,
) -> Result<(), ErrorObject> {
    let asked = read(server, peer, params)?;
    let caller = caller(exchange, &asked, stream);
    if asked.kind == CallbackType::Notification {
        return inform(server, &caller?, &asked).await;
    }
    let call = caller.as_ref().ok().and_then(|caller| caller.call);
    let records = CallbackRecords::of(peer.session());
    match records.enter(&asked.callback_id, RecordedQuestion::new(&asked, call), caller)? {
        Entry::Open => tracing::debug!(
            server = server.id(),
            id = asked.callback_id,
            "a repeated callback of the server is ignored"
        ),
        Entry::Answered(response) => exchange.callbacks.respond(peer, asked.callback_id, response),
        Entry::New(caller, guard) => {
            let (server, peer) = (server.clone(), peer.unbound());
            tokio::spawn(async move {
                let response = match ask(&server, &caller, &asked).await {
                    Ok(response) => {
                        guard.record(&response);
                        response
                    }
                    Err(error) => error_response(&error),
                };
                answer(&peer, &asked.callback_id, response).await;
                drop(guard);
            });
        }
    }
    Ok(())
}

/// Parses a callback, if the server may send it.
fn read(server: &Server, peer: &Peer, params: &RawParams) -> Result<CallbackRequestParams, ErrorObject> {
    let negotiated = peer.session().get::<Negotiation>();
    let is_agreed = negotiated.as_ref().is_some_and(|negotiated| negotiated.has(Extension::Callbacks));
    // A forbidden question is recorded like those of other kinds.
    let is_forbidden = !server.spec.host_features.contains(&HostFeature::Callback);
    if negotiated.is_none() || !(is_agreed || is_forbidden) {
        return Err(not_supported());
    }
    if !has_session(peer) {
        let problem = "callbacks need a session: a server of a stateless revision asks in its answer, by input_required";
        return Err(ErrorObject::invalid_request(problem));
    }
    if params.len() > MAX_CALLBACK {
        let problem =
            format!("invalid callback: expected at most {MAX_CALLBACK} bytes, found {}", params.len());
        return Err(ErrorObject::invalid_params(problem));
    }
    // Models and forms of hosts cannot handle unpaired surrogates.
    let asked: CallbackRequestParams = match params.object()?.to_json().without_lone_surrogates() {
        Some(whole) => whole.decode()?,
        None => params.decode()?,
    };
    if asked.kind == CallbackType::Selection && asked.options.as_ref().is_none_or(Vec::is_empty) {
        return Err(ErrorObject::invalid_params("invalid callback: a selection needs options, at least one"));
    }
    Ok(asked)
}

/// Returns the host of a callback.
fn caller(
    exchange: &Exchange,
    asked: &CallbackRequestParams,
    stream: Option<i64>,
) -> Result<Caller, ErrorObject> {
    if let Some(request_id) = &asked.request_id {
        let caller = request_id.number().and_then(|call| exchange.callers.of_call(call));
        return caller.ok_or_else(|| no_such_call(request_id));
    }
    exchange.callers.asked(stream).map_err(|why| {
        ErrorObject::invalid_request(format!(
            "the callback without a request_id cannot be asked of a host: {why}"
        ))
    })
}

/// Asks the host, until its call has ended.
async fn ask(
    server: &Server,
    caller: &Caller,
    asked: &CallbackRequestParams,
) -> Result<RawJson, ErrorObject> {
    let params = searched(server, caller, asked).await?;
    let own = asked.timeout_ms.map_or(Duration::MAX, Duration::from_millis);
    let limit = own.min(server.spec.question_timeout);
    tokio::select! {
        answer = questions::ask_callback(server, caller, limit, params) => answer,
        () = caller.over() => Err(ErrorObject::invalid_request("the call of this question has ended")),
    }
}

/// Returns the params of a callback in the form that may leave the kernel.
async fn searched(
    server: &Server,
    caller: &Caller,
    asked: &CallbackRequestParams,
) -> Result<RawParams, ErrorObject> {
    let params =
        RawParams::from_value(asked).map_err(|error| ErrorObject::invalid_params(error.to_string()))?;
    questions::searched(server, caller, CallbackRequest::METHOD, params).await
}

/// Sends a host a text of a server.
async fn inform(server: &Server, caller: &Caller, asked: &CallbackRequestParams) -> Result<(), ErrorObject> {
    let params: CallbackRequestParams = searched(server, caller, asked).await?.decode()?;
    check_allowed(server, HostFeature::Callback, CallbackRequest::METHOD)?;
    caller.note_seen();
    let told = callback_bridge::inform(caller, server.id(), named(server.id(), &params.message));
    if !matches!(tokio::time::timeout(LOG_TIMEOUT, told).await, Ok(Ok(()))) {
        tracing::debug!(server = server.id(), "a host did not accept a text of a server");
    }
    Ok(())
}

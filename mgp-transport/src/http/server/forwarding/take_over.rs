//! The restoration of a session whose owner is gone: a new session inside, with the same secret, the same `initialize`, level and
//! subscriptions.

use crate::{
    connection::{ConnectionError, Route},
    era::INITIALIZE,
    http::server::{
        endpoint::answers,
        refusal::Refusal,
        replicas::{Replicas, ReplicatedSession, key_of, principal_text, unavailable},
        session::HttpSession,
        state::ServerState,
        stream::Kind,
    },
    seam::{StoredSession, TokenGrant},
};
use mgp_types::{
    context::Principal,
    json::RawObject,
    mcp::{Initialized, SetLevel, SubscribeResource},
    rpc::{Call, Frame, Notice, RequestId},
};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// The time limit of restoring a session.
const RESTORE_TIMEOUT: Duration = Duration::from_secs(30);

/// Takes a session over, unless another request or another replica does so. Afterwards, the session has to be looked up again.
///
/// # Errors
/// Refuses the request if the store cannot be asked, or if the session cannot be restored.
pub(super) async fn take_over(
    server: &Arc<ServerState>,
    replicas: &Arc<Replicas>,
    secret: &str,
    stored: StoredSession,
    caller: (Principal, Option<TokenGrant>),
) -> Result<(), Refusal> {
    let key = key_of(secret);
    let Some(entering) = replicas.enter(&key) else {
        replicas.entered(&key).await;
        return Ok(());
    };
    let (server, replicas, secret) = (server.clone(), replicas.clone(), secret.to_owned());
    // A session that was taken over is restored even if the client of this request leaves.
    let taking = tokio::spawn(async move {
        let _entering = entering;
        replicas.check_current(&*server.sessions).await?;
        replicas.forget(&key);
        let taken = replicas.take(&key, &stored).await;
        if !taken.map_err(|error| unavailable(&*error))? {
            return Ok(());
        }
        let replicated = ReplicatedSession::new(key, stored.epoch + 1, stored.record);
        let (principal, granted) = caller;
        let session = server.sessions.prepare(secret, principal, Some(id_of(INITIALIZE)));
        session.replicate(replicated);
        let restored = timeout(RESTORE_TIMEOUT, restore(&server, &session, granted.as_ref())).await;
        let restored = restored.unwrap_or_else(|_| Err(not_restored("its server did not answer in time")));
        if let Err(refusal) = restored.and_then(|()| server.sessions.admit(&session)) {
            session.end(ConnectionError::Shutdown);
            if let Some(replicated) = session.replicated() {
                replicas.release(replicated).await;
            }
            return Err(refusal);
        }
        tracing::info!(
            session = session.peer().session().id(),
            "took over the session of a replica that is gone"
        );
        Ok(())
    });
    taking.await.unwrap_or_else(|error| Err(not_restored(&error.to_string())))
}

fn not_restored(reason: &str) -> Refusal {
    tracing::warn!(reason, "a session was not taken over");
    Refusal::unavailable("the session cannot be restored now")
}

fn id_of(method: &'static str) -> RequestId {
    RequestId::from(format!("mgp-restore-{method}"))
}

/// Repeats the requests that made the session what it was.
async fn restore(
    server: &ServerState,
    session: &Arc<HttpSession>,
    granted: Option<&TokenGrant>,
) -> Result<(), Refusal> {
    let Some(replicated) = session.replicated() else { return Ok(()) };
    let record = replicated.record.lock().clone();
    if record.principal != principal_text(session.principal()) {
        return Err(Refusal::no_session());
    }
    let initialize = record.initialize.as_deref().unwrap_or("{}");
    if !ask(server, session, granted, INITIALIZE, initialize).await? {
        return Err(not_restored("initialize was refused"));
    }
    let initialized = Frame::Notification { method: Initialized::METHOD.into(), params: Default::default() };
    session.inbox.receive(initialized, Route::Session);
    let level = record.level.map(|level| (SetLevel::METHOD, serde_json::json!({ "level": level })));
    let subscriptions = record.subscriptions.iter();
    let subscribe = |uri| (SubscribeResource::METHOD, serde_json::json!({ "uri": uri }));
    for (method, params) in level.into_iter().chain(subscriptions.map(subscribe)) {
        if !ask(server, session, granted, method, &params.to_string()).await? {
            tracing::warn!(
                session = session.peer().session().id(),
                method,
                "a request was refused when a session was restored"
            );
        }
    }
    Ok(())
}

/// Sends a request on behalf of the client. Returns whether its answer is a result.
async fn ask(
    server: &ServerState,
    session: &Arc<HttpSession>,
    granted: Option<&TokenGrant>,
    method: &'static str,
    params: &str,
) -> Result<bool, Refusal> {
    let id = id_of(method);
    let params = RawObject::parse(params.to_owned()).map_err(|error| not_restored(&error.to_string()))?;
    let frame = Frame::Request { id: id.clone(), method: method.into(), params: params.into() };
    let context = server.authority.authorize(granted, &frame, None)?;
    let reader = session.streams.open_calls(&[&id]).map_err(|_| not_restored("its requests overlap"))?;
    session.inbox.receive_with(frame, Route::Request(id), context);
    let answers = answers(session, &reader).await;
    Ok(matches!(answers.last().map(|event| &event.kind), Some(Kind::Answer { ok: true })))
}

//! HTTP+SSE, the transport of 2024-11-05: GET opens one stream for all messages of the server, and names the address to which
//! messages are posted.
//!
//! The stream cannot be resumed: the session ends with it.

use crate::{
    connection::{ConnectionError, Route},
    http::server::{
        paths::{HttpSsePaths, SESSION_PARAMETER as SESSION, secret_in},
        refusal::Refusal,
        request::{RequestBody, idempotency_key, media_types, revision::check_version},
        session::{HttpSession, Transport},
        state::ServerState,
        stream::sse::{self, Form},
    },
    seam::TokenGrant,
};
use axum::{
    Extension, Router,
    body::Body,
    extract::State,
    response::{IntoResponse, Response},
    routing,
};
use http::{HeaderMap, StatusCode, Uri};
use mgp_types::context::Principal;
use std::{collections::VecDeque, sync::Arc};

/// Adds the routes of both ends.
pub(super) fn route(paths: &HttpSsePaths, router: Router<Arc<ServerState>>) -> Router<Arc<ServerState>> {
    router.route(&paths.stream, routing::get(open)).route(&paths.messages, routing::post(post))
}

/// Opens a session and its stream, whose first event names the address for messages.
async fn open(
    State(server): State<Arc<ServerState>>,
    Extension(principal): Extension<Principal>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    media_types::check_stream(&headers)?;
    let Some(paths) = &server.paths.http_sse else { return Err(Refusal::no_session()) };
    if server.is_draining() {
        return Err(Refusal::draining());
    }
    let session = server.sessions.open(&principal, None)?;
    server.keep(&session, None).await?;
    let Some(reader) = session.streams.open_session() else { return Err(Refusal::no_session()) };
    tokio::spawn(end_with_stream(server.clone(), session.clone()));
    let lead = format!("event: endpoint\ndata: {}?{SESSION}={}\n\n", paths.messages, session.secret);
    let form = Form { lead: lead.into(), keep_alive: server.config.keep_alive, ..Form::default() };
    let activity = session.activity();
    Ok(sse::response(reader, VecDeque::new(), form, activity))
}

/// Ends the session once its stream has no reader. Running calls may finish first: a client that is gone has not cancelled them.
async fn end_with_stream(server: Arc<ServerState>, session: Arc<HttpSession>) {
    let peer = session.peer();
    tokio::select! {
        () = peer.closed() => return,
        () = session.streams.left() => {}
    }
    session.leave();
    let limit = server.config.drain_timeout;
    if tokio::time::timeout(limit, peer.connection().idle()).await.is_err() {
        tracing::warn!(
            session = peer.session().id(),
            ?limit,
            "calls were still running when the time limit after the end of their stream passed"
        );
    }
    session.end(ConnectionError::Closed);
}

/// Accepts one message. Its answer is sent on the stream.
async fn post(
    State(server): State<Arc<ServerState>>,
    Extension(principal): Extension<Principal>,
    granted: Option<Extension<TokenGrant>>,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    media_types::check_json(&headers)?;
    let (posted, lease) = server.bodies.read(&principal, body).await?;
    let RequestBody::One(frame) = posted else {
        let message = "batches are not supported over HTTP+SSE: send one message in each POST";
        return Err(Refusal::bad_request(message));
    };
    let (id, context) = server.admit(granted.as_deref(), &frame, lease.as_ref())?;
    let frame = idempotency_key::put_into(frame, &headers).map_err(|refusal| refusal.of(id.as_ref()))?;
    let find = || {
        let secret = uri.query().and_then(secret_in).ok_or_else(|| {
            let message = format!("missing {SESSION}: expected the address that the endpoint event named");
            Refusal::bad_request(message)
        })?;
        let session = server.sessions.named(secret, &principal, Transport::HttpSse)?;
        check_version(&headers).map(|()| session)
    };
    let session = find().map_err(|refusal: Refusal| refusal.of(id.as_ref()))?;
    let _activity = session.activity();
    session.inbox.receive_with(frame, Route::Session, context);
    Ok(StatusCode::ACCEPTED.into_response())
}

//! The choice of the replica that handles a request: this one, or the owner of the session that the request names.

use super::{
    named_session::NamedSession,
    relay::{self, PostedRequests},
    take_over,
};
use crate::{
    http::server::{
        forwarded::is_forwarded,
        limits::BodyLease,
        refusal::Refusal,
        replicas::{ForwardError, ReplicaTarget, Replicas, key_of, principal_text},
        state::ServerState,
    },
    seam::{StoredSession, TokenGrant},
};
use axum::{
    Extension,
    body::Body,
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, StatusCode, request::Parts};
use mgp_types::context::Principal;
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

/// The time limit for reaching the owner of a session, or for taking the session over.
const LIMIT: Duration = Duration::from_secs(10);

/// The pause before the owner of a session is looked up again.
const PAUSE: Duration = Duration::from_millis(50);

/// The header of a refusal by a replica that shuts down. Only replicas get it.
const DRAINING: HeaderName = HeaderName::from_static("mgp-draining");

/// The number of times that an owner may deny that it has a session, before the session counts as unknown.
const MAX_MISSES: u32 = 3;

/// Passes a request on, unless its session is another replica's.
pub(in crate::http::server) async fn route(
    State(server): State<Arc<ServerState>>,
    Extension(principal): Extension<Principal>,
    granted: Option<Extension<TokenGrant>>,
    request: Request,
    next: Next,
) -> Response {
    let Some((replicas, named)) = server.replicas.as_ref().zip(NamedSession::of(&server, &request)) else {
        return next.run(request).await;
    };
    let granted = granted.map(|Extension(granted)| granted);
    let route = Route { server: &server, replicas, principal: &principal, granted: granted.as_ref() };
    match Box::pin(route.place(&named, request)).await {
        Ok(Placement::Here(request)) => {
            let is_forwarded = is_forwarded(request.extensions());
            let mut response = next.run(request).await;
            if is_forwarded && server.is_draining() && response.status() == StatusCode::SERVICE_UNAVAILABLE {
                response.headers_mut().insert(DRAINING, HeaderValue::from_static("1"));
            }
            response
        }
        Ok(Placement::Elsewhere(response)) => response,
        Err(refusal) => refusal.into_response(),
    }
}

/// Returns whether the replica that answered shuts down, and has refused the request until it hands the session over.
fn is_draining(response: &Response) -> bool {
    response.headers().contains_key(DRAINING)
}

/// Returns whether the replica that answered does not have the session.
fn is_missed(response: &Response) -> bool {
    response.status() == StatusCode::MISDIRECTED_REQUEST
}

/// Creates the refusal of a request for a session whose owner cannot be reached from here.
fn unreachable() -> Refusal {
    Refusal::unavailable("the replica that has the session cannot be reached")
}

/// The place where a request is handled.
enum Placement {
    /// This replica.
    Here(Request),
    /// Another replica, which has answered.
    Elsewhere(Response),
}

/// The context of a request that names a session.
struct Route<'a> {
    server: &'a Arc<ServerState>,
    replicas: &'a Arc<Replicas>,
    principal: &'a Principal,
    granted: Option<&'a TokenGrant>,
}

/// A request whose body is read once it is forwarded, and kept for the next attempt.
struct HeldRequest {
    parts: Parts,
    body: Option<Body>,
    text: Bytes,
    _lease: Option<BodyLease>,
}

impl HeldRequest {
    fn new(request: Request) -> Self {
        let (parts, body) = request.into_parts();
        Self { parts, body: Some(body), text: Bytes::new(), _lease: None }
    }

    /// Reads the body within the limits of all bodies.
    async fn read(&mut self, server: &ServerState, principal: &Principal) -> Result<(), Refusal> {
        if let Some(body) = self.body.take() {
            (self.text, self._lease) = server.bodies.read_text(principal, body).await?;
        }
        Ok(())
    }

    fn into_request(self) -> Request {
        Request::from_parts(self.parts, self.body.unwrap_or_else(|| Body::from(self.text)))
    }

    fn to_forward(&self) -> http::Request<Bytes> {
        let mut request = http::Request::new(self.text.clone());
        request.method_mut().clone_from(&self.parts.method);
        request.uri_mut().clone_from(&self.parts.uri);
        request.headers_mut().clone_from(&self.parts.headers);
        request
    }
}

impl Route<'_> {
    /// Finds the owner of a session. Forwards the request to the owner, or takes the session over if the owner is gone.
    async fn place(&self, named: &NamedSession, request: Request) -> Result<Placement, Refusal> {
        let Self { server, replicas, .. } = *self;
        let (key, mut held) = (key_of(&named.secret), HeldRequest::new(request));
        let (deadline, mut misses) = (Instant::now() + LIMIT, 0);
        while Instant::now() < deadline {
            if server.sessions.has(&named.secret) {
                replicas.check_current(&*server.sessions).await?;
                if server.sessions.has(&named.secret) {
                    return Ok(Placement::Here(held.into_request()));
                }
            }
            if is_forwarded(&held.parts.extensions) {
                return Ok(Placement::Elsewhere(StatusCode::MISDIRECTED_REQUEST.into_response()));
            }
            let place = replicas.place(&key).await?;
            let Some(stored) = place.filter(|stored| self.is_of_caller(stored, named)) else {
                return Ok(Placement::Here(held.into_request()));
            };
            let is_own = stored.owner == replicas.store.id() && stored.address.is_some();
            if is_own && replicas.is_entering(&key) {
                replicas.entered(&key).await;
                continue;
            }
            let is_unconfirmed = is_own && replicas.is_unconfirmed(&key);
            if is_own && !is_unconfirmed {
                return Ok(Placement::Here(held.into_request()));
            }
            let Some(address) = stored.address.clone().filter(|_| !is_unconfirmed) else {
                if server.is_draining() {
                    return Err(Refusal::draining());
                }
                if stored.record.initialize.is_none() {
                    return Ok(Placement::Here(held.into_request()));
                }
                let wanted = (self.principal.clone(), self.granted.cloned());
                take_over::take_over(server, replicas, &named.secret, stored, wanted).await?;
                continue;
            };
            if replicas.is_silent(&stored.owner) {
                return Err(unreachable());
            }
            held.read(server, self.principal).await?;
            let target = ReplicaTarget { id: stored.owner.clone(), address };
            let posted = PostedRequests::of(&held.parts, &held.text, &stored);
            let may_repeat = held.parts.method != Method::POST;
            match self.forward(&target, held.to_forward(), posted, may_repeat).await {
                Ok(response) if is_draining(&response) => {}
                Ok(response) if is_missed(&response) && misses < MAX_MISSES => misses += 1,
                Ok(response) if is_missed(&response) => return Ok(Placement::Here(held.into_request())),
                Ok(response) => return Ok(Placement::Elsewhere(response)),
                // Through another replica, the client may reach the owner.
                Err(ForwardError::Silent(error)) => {
                    tracing::debug!(%error, replica = target.id, "the owner of a session does not answer");
                    replicas.note_silent(&target.id);
                    return Err(unreachable());
                }
                Err(error) => tracing::debug!(%error, replica = target.id, "a request was not forwarded"),
            }
            replicas.forget(&key);
            sleep(PAUSE).await;
        }
        Err(unreachable())
    }

    /// Returns whether a session belongs to the caller, and to the transport of the request.
    fn is_of_caller(&self, stored: &StoredSession, named: &NamedSession) -> bool {
        stored.record.principal == principal_text(self.principal)
            && stored.record.initialize.is_some() == named.transport.has_requests()
    }

    /// Forwards a request. An error means that the request may be sent again. `may_repeat` is true if that is so for every request that was lost.
    async fn forward(
        &self,
        target: &ReplicaTarget,
        request: http::Request<Bytes>,
        posted: PostedRequests,
        may_repeat: bool,
    ) -> Result<Response, ForwardError> {
        let gone = self.replicas.clone().gone(target.id.clone());
        let answered = tokio::select! {
            answered = self.replicas.network.forward(target, request) => answered,
            () = gone => Err(ForwardError::Lost("the replica is gone".into())),
        };
        match answered {
            Ok(response) => {
                let (replicas, id) = (self.replicas.clone(), target.id.clone());
                Ok(match posted.is_empty() {
                    true => relay::relay(response, posted, replicas.gone_or_left(id)).await,
                    false => relay::relay(response, posted, replicas.gone(id)).await,
                })
            }
            Err(ForwardError::Lost(error)) if !may_repeat => {
                tracing::warn!(%error, replica = target.id, "a replica was lost while it handled a request");
                Ok(posted.lost())
            }
            Err(error) => Err(error),
        }
    }
}

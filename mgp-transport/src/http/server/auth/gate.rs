//! The gate that every request passes first: Host, Origin, repeated headers, API key or token.

use super::{Authority, Origins, ambiguity, cors, until};
use crate::{
    http::server::{
        Denial, DenialReason, denial::DenialObserver, forwarded::is_forwarded, limits::ConnectionPlace,
    },
    seam::RequestLine,
};
use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::Method;
use mgp_types::context::Principal;
use std::{sync::Arc, time::Duration};

/// The gate that every request passes first.
pub(in crate::http::server) struct Gate {
    pub(in crate::http::server) origins: Origins,
    pub(in crate::http::server) authority: Arc<Authority>,
    /// The time limit of verifying a token.
    pub(in crate::http::server) authenticate_timeout: Duration,
    pub(in crate::http::server) on_denial: Option<Box<DenialObserver>>,
}

/// Answers a request, and allows pages of the allowed origins to read the answer.
pub(in crate::http::server) async fn guard(
    State(gate): State<Arc<Gate>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(page) = gate.origins.named(request.headers()).cloned() else {
        return pass(&gate, request, next).await;
    };
    let response = match cors::is_preflight(&request) {
        false => pass(&gate, request, next).await,
        true => match gate.origins.check(request.uri(), request.headers()) {
            Ok(()) => cors::preflight(request.headers()),
            Err(refusal) => gate.observed(refusal.into_response(), None),
        },
    };
    cors::allow(response, page)
}

/// Passes a request of any caller: only Host and Origin are checked.
#[cfg(feature = "http-docs")]
pub(in crate::http::server) async fn without_credentials(
    State(gate): State<Arc<Gate>>,
    request: Request,
    next: Next,
) -> Response {
    match gate.origins.check(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => gate.observed(refusal.into_response(), None),
    }
}

/// Passes a request, with its principal in its extensions, and the rights of its token, if it has one.
async fn pass(gate: &Gate, mut request: Request, next: Next) -> Response {
    // A replica that forwards a request has checked Host and Origin by its own names.
    if !is_forwarded(request.extensions())
        && let Err(refusal) = gate.origins.check(request.uri(), request.headers())
    {
        return gate.observed(refusal.into_response(), None);
    }
    if let Err(refusal) = ambiguity::check(request.headers()) {
        return gate.observed(refusal.into_response(), None);
    }
    let place = request.extensions_mut().remove::<Arc<ConnectionPlace>>();
    let line = RequestLine { method: request.method(), path: request.uri().path() };
    let caller =
        gate.authority.caller((line, request.headers()), place.as_deref(), gate.authenticate_timeout);
    let (principal, granted) = match caller.await {
        Ok(caller) => caller,
        Err(refusal) => return gate.observed(refusal.into_response(), None),
    };
    if let Some(place) = place
        && let Err(refusal) = place.authenticate(&principal)
    {
        return refusal.into_response();
    }
    request.extensions_mut().insert(principal.clone());
    let Some(granted) = granted else { return next.run(request).await };
    // A call may continue to its answer; the session's own stream would continue forever.
    let ends = (request.method() == Method::GET).then(|| granted.clone());
    request.extensions_mut().insert(granted);
    let response = gate.observed(next.run(request).await, Some(principal));
    match ends {
        Some(granted) => until::valid(response, granted),
        None => response,
    }
}

impl Gate {
    /// Notifies the observer of a response that denies a request.
    pub(in crate::http::server) fn observed(
        &self,
        mut response: Response,
        principal: Option<Principal>,
    ) -> Response {
        if let Some(reason) = response.extensions_mut().remove::<DenialReason>()
            && let Some(observe) = &self.on_denial
        {
            observe(Denial { reason, principal });
        }
        response
    }
}

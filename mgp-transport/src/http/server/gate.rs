//! The gate that every request passes first: Host, Origin, repeated headers, API key or token.

use super::{
    ambiguity,
    builder::Inner,
    connections::ConnectionPlace,
    cors,
    denial::{Denial, DenialReason},
    until,
};
use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::Method;
use mgp_types::context::Principal;
use std::sync::Arc;

/// Answers a request, and allows pages of the allowed origins to read the answer.
pub(super) async fn gate(State(server): State<Arc<Inner>>, request: Request, next: Next) -> Response {
    let Some(page) = server.origins.named(request.headers()).cloned() else {
        return pass(&server, request, next).await;
    };
    let response = match cors::is_preflight(&request) {
        false => pass(&server, request, next).await,
        true => match server.origins.check(request.uri(), request.headers()) {
            Ok(()) => cors::preflight(request.headers()),
            Err(refusal) => server.observed(refusal.into_response(), None),
        },
    };
    cors::allow(response, page)
}

/// Refuses a request that has two lengths of its body, at any path, including those that the gate does not guard.
pub(super) async fn one_length(State(server): State<Arc<Inner>>, request: Request, next: Next) -> Response {
    match ambiguity::check_length(request.extensions()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => server.observed(refusal.into_response(), None),
    }
}

/// Passes a request of any caller: only Host and Origin are checked.
#[cfg(feature = "http-docs")]
pub(super) async fn without_credentials(
    State(server): State<Arc<Inner>>,
    request: Request,
    next: Next,
) -> Response {
    match server.origins.check(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => server.observed(refusal.into_response(), None),
    }
}

/// Passes a request, with its principal in its extensions, and the rights of its token, if it has one.
async fn pass(server: &Inner, mut request: Request, next: Next) -> Response {
    if let Err(refusal) = server.origins.check(request.uri(), request.headers()) {
        return server.observed(refusal.into_response(), None);
    }
    if let Err(refusal) = ambiguity::check(request.headers()) {
        return server.observed(refusal.into_response(), None);
    }
    let place = request.extensions_mut().remove::<Arc<ConnectionPlace>>();
    let (principal, granted) = match server.caller(request.headers(), place.as_deref()).await {
        Ok(caller) => caller,
        Err(refusal) => return server.observed(refusal.into_response(), None),
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
    let response = server.observed(next.run(request).await, Some(principal));
    match ends {
        Some(granted) => until::valid(response, granted),
        None => response,
    }
}

impl Inner {
    /// Notifies the observer of a response that denies a request.
    fn observed(&self, mut response: Response, principal: Option<Principal>) -> Response {
        if let Some(reason) = response.extensions_mut().remove::<DenialReason>()
            && let Some(observe) = &self.on_denial
        {
            observe(Denial { reason, principal });
        }
        response
    }
}

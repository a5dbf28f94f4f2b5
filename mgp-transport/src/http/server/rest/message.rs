//! The message of a request, and the reply of the service.

use crate::{
    http::server::{
        limits::BodyLease,
        refusal::Refusal,
        state::ServerState,
        stream::{Kind, Next},
    },
    seam::{Incoming, RestRequest, TokenGrant},
};
use http::StatusCode;
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::{ClientCapabilities, Implementation, ProtocolVersion, stateless::RequestEnvelope},
    negotiation::{Carrier, Extension, offer},
    rpc::{ErrorObject, Frame, Method, RequestId},
};
use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};
use tokio::time::Instant;

/// A request to the service.
pub(super) struct Request<'a> {
    pub(super) method: &'static str,
    pub(super) params: RawObject,
    pub(super) granted: Option<&'a TokenGrant>,
    /// The lease of the body that the params are slices of.
    pub(super) lease: Option<Arc<BodyLease>>,
}

/// The longest wait for one message of the service: a call has its own time limit.
const FOREVER: Duration = Duration::from_secs(946_080_000);

/// The description of the client in each message: it accepts no requests, and supports MGP's errors.
static CLIENT: LazyLock<RequestEnvelope> = LazyLock::new(|| {
    let mut capabilities = RawObject::new();
    Carrier::Extensions.put(&mut capabilities, &offer([Extension::ToolDiscovery].into_iter().collect()));
    RequestEnvelope {
        version: ProtocolVersion::V2026_07_28,
        capabilities: ClientCapabilities(capabilities),
        client_info: Some(Implementation::new("rest", env!("CARGO_PKG_VERSION"))),
        log_level: None,
    }
});

/// Sends a message to the service, and returns its result or its error.
///
/// # Errors
/// Returns a [`Refusal`] if the message is refused before the service, or has no answer.
pub(super) async fn ask(
    server: &ServerState,
    principal: &Principal,
    request: Request<'_>,
) -> Result<Result<RawJson, ErrorObject>, Refusal> {
    let Request { method, params, granted, lease } = request;
    let frame =
        Frame::Request { id: RequestId::from(1), method: Method::known(method), params: params.into() };
    let (_, mut context) = server.admit(granted, &frame, lease.as_ref())?;
    context.insert(RestRequest);
    let Frame::Request { id, method, params } = frame else { return Err(no_answer()) };
    let incoming = Incoming { id: Some(id), method, params, ext: context };
    // Dropped together with a disconnected client's request, which cancels the call.
    let (_exchange, reader, _underway) = server.stateless.begin(principal, CLIENT.clone(), incoming)?;
    loop {
        match reader.next_by(Instant::now() + FOREVER).await {
            Next::Event(_, event) if matches!(event.kind, Kind::Answer { .. }) => {
                return outcome(&event.text);
            }
            // Progress and log messages, which the client did not request.
            Next::Event(..) => {}
            Next::End | Next::NotYet => return Err(no_answer()),
        }
    }
}

fn outcome(text: &bytes::Bytes) -> Result<Result<RawJson, ErrorObject>, Refusal> {
    match Frame::parse(text)? {
        Frame::Response { outcome, .. } => Ok(outcome),
        _ => Err(no_answer()),
    }
}

fn no_answer() -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the call ended without an answer: it was cancelled")
}

//! The handshake of a session, and the renewal that repeats it.

use bytes::Bytes;
use futures_core::future::BoxFuture;
use futures_util::future::Shared;
use mgp_types::rpc::RequestId;
use std::sync::Arc;

/// The handshake as it was sent.
#[derive(Debug, Clone, Default)]
pub(super) struct Handshake {
    /// `initialize`, and its id.
    pub(super) opening: Option<(RequestId, Bytes)>,
    /// `notifications/initialized`.
    pub(super) opened: Option<Bytes>,
}

/// The result of reopening a session, shared by all callers that wait for it.
pub(super) type Renewal = Shared<BoxFuture<'static, Result<(), Arc<str>>>>;

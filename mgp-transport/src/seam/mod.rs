//! The seam: one message type in, one reply out, in both directions. Every layer is an ordinary tower layer on it.

mod authorization;
mod cancel;
mod child_setup;
mod context;
mod control_peer;
#[cfg(unix)]
mod egress;
mod fetch;
mod gate;
mod incoming;
mod log_limit;
mod peer;
mod pending_call;
mod record;
mod related;
mod reply;
mod rest_request;
mod routes;
mod service;
mod session;
mod tool_call;
mod unauthenticated;
mod visibility;

pub use authorization::{
    Authenticate, Authentication, CredentialError, KeyRing, ResourceMetadata, Scopes, TokenGrant, is_scope,
};
pub use cancel::{CancelCause, CancelToken, CancelledFuture};
pub use child_setup::{ChildSetup, PreparedChild, SetupInChild};
pub use context::CallContext;
pub use control_peer::ControlPeer;
#[cfg(unix)]
pub use egress::{EgressObserver, EgressTask, ServeEgress};
pub use fetch::{Fetch, FetchError};
pub use gate::{Decision, Gate, GateLayer, Judge, Refusal, ResponseFuture};
pub use incoming::Incoming;
pub use log_limit::LogLimit;
pub(crate) use log_limit::warn_limited;
pub use peer::{CallError, Peer};
pub use pending_call::{CallEvent, Notification, PeerFuture, PendingCall};
pub use record::{CallRecord, Record, RefusalKind, RefusalNote};
pub use related::RelatedRequest;
pub use reply::Reply;
pub use rest_request::RestRequest;
pub use routes::{Role, RouteError, Routes};
pub use service::{BoxError, BoxPeerService, PeerService, boxed};
pub use session::Session;
pub use tool_call::ToolCall;
pub use unauthenticated::UnauthenticatedMark;
pub use visibility::{EmptyView, FullVisibility, ToolView, Visibility};

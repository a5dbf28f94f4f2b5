//! The seam: one message type in, one reply out, in both directions. Every layer is an ordinary tower layer on it.

mod authorization;
mod box_error;
mod call_error;
mod call_event;
mod cancel;
mod child_setup;
mod context;
mod control_peer;
#[cfg(unix)]
mod egress;
mod extensions;
mod fetch;
mod gate;
mod incoming;
mod log_limit;
mod peer;
mod peer_calls;
mod peer_connection;
mod peer_service;
mod pending_call;
mod record;
mod related;
mod replica_store;
mod reply;
mod request_members;
mod rest_request;
mod routes;
mod service;
mod session;
mod slot;
mod tool_call;
mod unauthenticated;
mod visibility;

pub use authorization::{
    Authenticate, Authentication, CredentialError, KeyRing, RequestLine, ResourceMetadata, Scopes,
    TokenGrant, is_scope,
};
pub use box_error::BoxError;
pub use call_error::CallError;
pub use call_event::{CallEvent, Notification};
pub use cancel::{CancelCause, CancelToken, CancelledFuture};
pub use child_setup::{ChildLine, ChildSetup, PreparedChild, ReplaceLine, SetupInChild};
pub use context::CallContext;
pub use control_peer::ControlPeer;
#[cfg(unix)]
pub use egress::{EgressObserver, EgressTask, ServeEgress, listen_on_loopback};
pub use extensions::Extensions;
pub use fetch::{Fetch, FetchError};
pub use gate::{Decision, Gate, GateLayer, Judge, Refusal, ResponseFuture};
pub use incoming::Incoming;
pub use log_limit::LogLimit;
pub(crate) use log_limit::warn_limited;
pub use peer::Peer;
pub(crate) use peer_connection::PeerConnection;
pub use peer_service::PeerFuture;
pub use pending_call::PendingCall;
pub use record::{CallRecord, Record, RefusalKind, RefusalNote};
pub use related::RelatedRequest;
pub use replica_store::{
    REPLICA_GONE, REPLICA_LAPSE, REPLICA_RENEWAL, ReplicaAuthority, ReplicaName, ReplicaStore, SessionRecord,
    StoredSession,
};
pub use reply::Reply;
pub(crate) use request_members::RequestMembers;
pub use rest_request::RestRequest;
pub use routes::{Role, RouteError, Routes};
pub use service::{BoxPeerService, PeerService, boxed};
pub use session::Session;
pub(crate) use slot::Slot;
pub use tool_call::ToolCall;
pub use unauthenticated::UnauthenticatedMark;
pub use visibility::{EmptyView, FullVisibility, ToolView, Visibility};

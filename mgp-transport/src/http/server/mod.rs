//! Streamable HTTP, the server's end: one endpoint, many sessions.
//!
//! | request | means |
//! |---|---|
//! | POST | one message; the answer to a request comes as JSON, or as a stream if more comes before it |
//! | POST of an array | a batch, if the session agreed on 2025-03-26; its answers come as one array, or on one stream |
//! | GET | the session's own stream: messages that belong to no request |
//! | GET with `Last-Event-ID` | the rest of the stream of that event: the messages after it, and then live until the answer |
//! | DELETE | the end of the session |
//! | GET or DELETE of a stateless revision | refused with 405: each POST stands for itself |
//! | GET `/sse` | HTTP+SSE, if it is switched on: a session with one stream for everything |
//! | POST `/messages?session_id=…` | one message of such a session; its answer comes on the stream |
//!
//! The messages that a server sends go to these streams:
//! - A message that belongs to a request goes to that request's stream.
//! - A client that closes this stream has not cancelled: the call continues. If the client received an id of the stream, it may
//!   reconnect. The messages sent in the meantime, and the answer, are kept for it, for a time and within bounds
//!   ([`ResumeConfig`]).
//! - If the client received no id, or does not reconnect in time, notifications of the call go to the session's stream if that is
//!   open, and are dropped otherwise. Requests wait for the session's stream. The response is dropped, because it may be sent
//!   only on its own stream.
//! - Everything else goes to the session's stream. Until a client opens that stream, messages wait. If there is no more room,
//!   notifications are dropped and requests wait for room. Identical list-changed notifications are merged.
//!
//! An event's id names its session, its stream and its place in the stream. An id that the session does not know is refused with
//! 400, and an id whose successors are no longer kept with 410; 404 always means the session. Clients of 2025-11-25 first receive
//! an event with an id and no data. They reconnect to a stream that a handler closed with
//! [`Peer::close_stream`](crate::seam::Peer::close_stream).
//!
//! `Idempotency-Key` and `X-Idempotency-Key` of a POST that calls a tool are `_meta.idempotency_key` of the call.
//!
//! If callers are distinguished, each may have a share of the sessions and of the requests without a session. A caller beyond its
//! share is refused with 429; 503 means that no place is left ([`HttpServerConfig::sessions_of_one`],
//! [`HttpServerConfig::requests_of_one`]). The same applies to the bytes that bodies hold
//! ([`HttpServerConfig::total_body_limit`]) and to TCP connections ([`HttpServerConfig::connections_of_one`]). A request that is
//! refused in this way did not run, and `Retry-After` is the time to wait before a retry. Before a session is refused, the
//! session that is idle longest ends: one of the same caller, or of a caller that has more of them.
//!
//! A TCP connection on which no request has authenticated has a place among [`HttpServerConfig::unauthenticated_connections`]. It
//! loses the place if it does not send the head of a request in time, or if it has no request and a newer connection needs the
//! place.

mod auth;
mod backend;
mod builder;
mod config;
mod denial;
mod endpoint;
mod error;
mod forwarded;
mod forwarding;
mod limits;
mod listener;
mod page;
#[cfg(all(unix, feature = "socket-activation"))]
mod passed_socket;
mod paths;
mod refusal;
#[cfg(feature = "http-replicas")]
mod replica_network;
mod replicas;
mod request;
mod rest;
mod run;
mod serve;
mod session;
mod state;
mod stateless;
pub(crate) mod stream;

#[cfg(test)]
mod tests;

pub use auth::{ApiKey, InvalidApiKey, InvalidResourceUrl, ResourceUrl};
pub use builder::{HttpServer, HttpServerBuilder};
pub use config::{HttpServerConfig, ReplyForm, ResumeConfig};
pub use denial::{Denial, DenialReason};
pub use error::ServeError;
pub use page::{RunningPage, TextPage, serve_router, serve_router_to};
#[cfg(all(unix, feature = "socket-activation"))]
pub use passed_socket::PassedSocket;
#[cfg(feature = "http-replicas")]
pub use replica_network::{ReplicaNetwork, ReplicaNetworkError, RunningReplicaNetwork};
pub use replicas::{ForwardError, ForwardToReplica, ReplicaTarget};
pub use serve::RunningServer;
pub use stateless::{AnnotatedArguments, ParamHeaders};
pub use tokio::net::ToSocketAddrs;

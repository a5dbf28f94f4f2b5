//! Streamable HTTP, the server's end: one endpoint, many sessions.
//!
//! | request | means |
//! |---|---|
//! | POST | one message; the answer to a request comes as JSON, or as a stream where more comes before it |
//! | GET | the session's own stream: what belongs to no request |
//! | DELETE | the end of the session |
//!
//! Where a message goes that a server sends:
//! - What belongs to a request goes to that request's stream.
//! - A client that closed that stream has not cancelled: the call goes on. Notifications of it then go to the session's
//!   stream if one is open, and are dropped otherwise; requests go to the session's stream and wait for it; the
//!   response is dropped, because it may go nowhere else.
//! - Everything else goes to the session's stream. Until a client opens it, messages wait; where there is no more room,
//!   notifications are dropped and requests wait for room. List-changed notifications that say the same are merged.

mod accept;
mod api_key;
mod body;
mod builder;
mod config;
mod endpoint;
mod gate;
mod get;
mod listener;
mod origin;
mod post;
mod queue;
mod refusal;
mod serve;
mod session;
mod sessions;
mod sse;
mod streams;

#[cfg(test)]
mod tests;

pub use api_key::{ApiKey, InvalidApiKey};
pub use builder::{HttpServer, HttpServerBuilder};
pub use config::{HttpServerConfig, ReplyForm};
pub use serve::{ServeError, Serving};

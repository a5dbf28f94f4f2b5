//! The seam of MGP for Rust, the connection driver, and the transports. The only crate that handles raw bytes.
//!
//! - [`seam`]: one message type in, one reply out, both directions; every layer is an ordinary tower layer.
//! - [`connection`]: drives one connection: reads, routes, dispatches, answers.
//! - [`long_text`]: strings of tool calls that are too long for memory.
//! - [`memory`], `stdio`, `child`, `http`, `local_socket`: where bytes come from and go to. All but the first are features.
//! - `raw`: raw connections for programs that test the other side (a feature).
//!
//! ```
//! use mgp_transport::{connection::Connection, memory, seam::{BoxError, Incoming, Reply}};
//! use mgp_types::{json::RawJson, rpc::RawParams};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
//! let echo = tower::service_fn(|message: Incoming| async move {
//!     Ok::<_, BoxError>(Reply::ok(message.params.get().cloned().unwrap_or(RawJson::null())))
//! });
//! let (here, there) = memory::pair();
//! let _server = Connection::builder(echo.clone()).over(there.0, there.1);
//! let client = Connection::builder(echo).over(here.0, here.1);
//! let params = RawParams::from(RawJson::parse(r#"{"n":1}"#)?);
//! let answer = client.peer().request_raw("echo", params).await?;
//! assert_eq!(answer.as_str(), r#"{"n":1}"#);
//! # Ok(()) }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "child")]
pub mod child;
mod codec;
pub mod connection;
#[cfg(all(unix, feature = "egress"))]
pub mod egress;
mod era;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(any(feature = "http-server", feature = "http-client"))]
pub mod http;
#[cfg(all(unix, feature = "local-socket"))]
pub mod local_socket;
pub mod long_text;
pub mod memory;
mod outbound;
#[cfg(feature = "raw")]
pub mod raw;
pub mod seam;
#[cfg(feature = "stdio")]
pub mod stdio;
mod sync;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

//! A client for tests: it calls a server in the same process, over a connection in memory.
//!
//! [`Server::test_client`](crate::Server::test_client) builds the server, connects the client and finishes the handshake.
//! Requests take the same path as those of a host: arguments are checked, limits and layers apply, and errors are those on the
//! wire.
//!
//! ```
//! use mgp_server_sdk::{Server, Tool, extract::Args, testing::TestError};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Add {
//!     a: f64,
//!     b: f64,
//! }
//!
//! fn add(Args(Add { a, b }): Args<Add>) -> String {
//!     (a + b).to_string()
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), TestError> {
//! let server = Server::new("adder", "1.0.0").tool(Tool::new("add", "Adds two numbers", add));
//! let client = server.test_client().await?;
//! let sum: f64 = client.call("add", &json!({"a": 2, "b": 3})).await?;
//! assert_eq!(sum, 5.0);
//! # Ok(()) }
//! ```
//!
//! Testing a server requires nothing else: neither the features for stdio or HTTP, nor a process.

mod call;
mod client;
mod error;
mod questions;
mod result;

pub use call::{CallUpdate, TestCall};
pub use client::TestClient;
pub use error::TestError;

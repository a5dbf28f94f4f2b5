//! MGP's security sections as tower layers: identity, access control, permissions, validation and audit.
//!
//! Two layers and the gates between them and a tool make up a pipeline of
//! [`ToolCall`](mgp_transport::seam::ToolCall)s; each gate is a [`Judge`](mgp_transport::seam::Judge). All of them note
//! their findings in the call's [`CallRecord`](mgp_transport::seam::CallRecord). From the outside in:
//!
//! - `audit` (§6) stores one event for each call before its reply leaves;
//! - `identity` takes the caller from the session, and the agents that it acts for from the request;
//! - `limits` bounds how often callers call, and further in how often servers and tools are called;
//! - `scope` checks that the caller's OAuth token, if it has one, allows the tool; `identity::oauth` verifies tokens;
//! - `access` (§5) checks that the rules allow the caller and these agents to use the tool;
//! - `definition` withholds tools whose definition differs from its pin;
//! - `unique_keys` refuses arguments that two parsers could read differently;
//! - `input_size` refuses arguments that are larger than the tool accepts;
//! - `permission` (§3, §4.4) checks that the server has the permissions that the tool needs, and asks before dangerous calls;
//! - `validator` (§4.5) checks the arguments.
//!
//! `results` searches the results of servers for secrets: a layer around the connection to one server, on
//! [`Incoming`](mgp_transport::seam::Incoming)s.
//!
//! `confine` is not a layer: it restricts the process of a server before its program starts.
//!
//! [`profile`] judges a tool when it is listed; the gates read its [`ToolProfile`](profile::ToolProfile). Every section is
//! a feature; `sqlite` adds stores that several processes share; `full` enables everything.
//!
#![cfg_attr(feature = "full", doc = "```")]
#![cfg_attr(not(feature = "full"), doc = "```ignore")]
//! use mgp_security::{
//!     access::{AccessControl, SqlStore, SqlAccessStore},
//!     audit::{AuditLayer, MemorySink},
//!     profile::{ToolFacts, assess},
//! };
//! use mgp_transport::seam::{BoxError, GateLayer, Reply, ToolCall};
//! use mgp_types::{
//!     context::{Principal, Target, ToolId, TrustLevel}, json::RawJson, mcp::Tool, rpc::RawParams,
//! };
//! use std::sync::Arc;
//! use tower::{ServiceBuilder, ServiceExt, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
//! let trail = MemorySink::new(100);
//! let control = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await?;
//! let pipeline = ServiceBuilder::new()
//!     .layer(AuditLayer::new(Arc::new(trail.clone())))
//!     .layer(GateLayer::new(control))
//!     .service(service_fn(|_: ToolCall| async { Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())) }));
//!
//! let tool = Tool::new("read", RawJson::empty_object());
//! let profile = assess(&ToolFacts::new(&tool, TrustLevel::Standard, &[], &Default::default()));
//! let target = Target { tool: ToolId::new("files", "read"), called_as: "read".into() };
//! let call = ToolCall::new(1, RawParams::none(), target, Arc::new(profile));
//! let reply = pipeline.oneshot(call.identified(Principal::agent("agent.default"))).await?;
//! assert_eq!(reply.as_error().map(|error| error.code), Some(1001));
//! assert_eq!(trail.events().len(), 1);
//! # Ok(()) }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "access")]
pub mod access;
#[cfg(feature = "audit")]
pub mod audit;
pub mod canonical;
#[cfg(feature = "code_safety")]
pub mod code_safety;
#[cfg(feature = "definition")]
pub mod command;
#[cfg(feature = "confine")]
pub mod confine;
pub mod confirmed;
#[cfg(feature = "definition")]
pub mod definition;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(feature = "identity")]
pub mod identity;
#[cfg(feature = "validator")]
pub mod input_size;
#[cfg(feature = "keys")]
pub mod keys;
#[cfg(feature = "limits")]
pub mod limits;
mod meter;
#[cfg(any(feature = "access", feature = "limits"))]
mod name_pattern;
#[cfg(feature = "permission")]
pub mod permission;
pub mod profile;
#[cfg(any(feature = "access", feature = "permission"))]
mod refusals;
#[cfg(feature = "results")]
pub mod results;
#[cfg(feature = "identity")]
pub mod scope;
#[cfg(any(feature = "access", feature = "permission"))]
mod stored_rows;
#[cfg(feature = "code_safety")]
mod syntax;
#[cfg(test)]
#[cfg(feature = "full")]
mod testing;
#[cfg(feature = "validator")]
pub mod unique_keys;
#[cfg(feature = "validator")]
pub mod validator;
mod words;

#[cfg(all(doctest, feature = "full"))]
#[doc = include_str!("../README.md")]
mod readme {}

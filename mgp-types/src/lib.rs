//! Wire types of MCP and of every MGP section: pure data, no runtime, no I/O, no clock.
//!
//! A method is a type that names its params and its result; a payload that is only forwarded stays text.
//!
//! ```
//! use bytes::Bytes;
//! use mgp_types::mcp::{CallTool, CallToolResult};
//! use mgp_types::rpc::{Call, Frame};
//! use mgp_types::{mgp_member, stream};
//!
//! let line = r#"{"jsonrpc":"2.0","id":20,"method":"tools/call",
//!                "params":{"name":"add","arguments":{"n":123456789012345678901234567890.10},"_mgp":{"stream":true}}}"#;
//! let Frame::Request { id, method, params } = Frame::parse(&Bytes::from_static(line.as_bytes()))? else {
//!     panic!("a message with id and method is a request");
//! };
//! assert_eq!(method, CallTool::METHOD);
//! assert!(mgp_member::read(params.object()?).is_some_and(|mgp| stream::wants_stream(&mgp)));
//!
//! // A layer that needs a field reads the params as a type; numbers keep their digits even then.
//! let call: <CallTool as Call>::Params = params.decode()?;
//! assert_eq!(call.name, "add");
//! assert!(call.arguments.is_some_and(|a| a.as_str().contains("123456789012345678901234567890.10")));
//!
//! let mut reply = Vec::new();
//! let result = mgp_types::json::RawJson::from_value(&CallToolResult::text("sum"))?;
//! Frame::Response { id: Some(id), outcome: Ok(result) }.write(&mut reply);
//! assert_eq!(reply, br#"{"jsonrpc":"2.0","id":20,"result":{"content":[{"type":"text","text":"sum"}]}}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`intent`] | the intent of a call |
//! | [`json`] | JSON that is carried as text and edited in place |
//! | [`rpc`] | §1.5 JSON-RPC 2.0, and methods as types |
//! | [`mcp`] | MCP's own methods and objects |
//! | [`negotiation`] | §2 versions, extensions, handshake |
//! | [`permission`] | §3 permissions |
//! | [`tool_security`] | §4 tool security metadata, validators' names, effective risk |
//! | [`access`] | §5 access control |
//! | [`audit`] | §6 audit events |
//! | [`code_safety`] | §7 code safety |
//! | [`lifecycle`] | §11 states, health, shutdown, restart |
//! | [`stream`] | §12 chunks, progress, cancel |
//! | [`service_manifest`] | the extension proposals' description of a server and its tools |
//! | [`session_state`] | the state of a server, kept by its caller |
//! | [`proposals`] | the extension proposals' own form of a call |
//! | [`events`], [`callback`] | §13 events and callbacks |
//! | [`error`] | §14 the table of error codes |
//! | [`idempotency`] | keys under which a call is made only once |
//! | [`transaction`] | several calls that are committed together, or undone by other calls |
//! | [`discovery`] | §15 listing and registering servers |
//! | [`tool_index`] | §16 finding tools |
//! | [`tool_metadata`] | metadata of a tool beyond MCP: version, examples, errors, cost, types, confirmation |
//! | [`tool_result`] | statuses, errors and sources of tools' results |
//! | [`openapi`] | a kernel's tools as a document of OpenAPI |
//! | [`tool_check`] | dry runs of tool calls |
//! | [`reference`](mod@reference) | data that is passed from one server to another by reference |
//! | [`mgp_member`], [`request_meta`] | a message's metadata: `_mgp`, trace, progress token |
//! | `schemas` | the JSON Schemas of MGP's messages (feature `schema`) |
//! | [`printable`](mod@printable) | texts of others, made safe to display |
//! | [`hex`] | hexadecimal digits |
//! | [`address`] | the network that an IP address belongs to |
//! | [`oauth`] | the parts of OAuth that both sides need: signature algorithms, the addresses of an issuer's metadata |
//! | `seal` | tokens that only holders of a key can create (feature `seal`) |
//! | [`call_options`] | the options of a tool call, which only concern the kernel |
//! | [`context`] | the data that layers share about a call, never on the wire |

#![cfg_attr(docsrs, feature(doc_cfg))]

#[macro_use]
mod macros;

pub mod access;
pub mod address;
pub mod audit;
pub mod call_options;
pub mod callback;
pub mod checkpoint;
pub mod code_safety;
pub mod context;
pub mod discovery;
pub mod error;
pub mod events;
pub mod hex;
pub mod idempotency;
pub mod intent;
pub mod json;
#[cfg(feature = "json-schema")]
pub mod json_schema;
pub mod lifecycle;
mod logging_level;
pub mod mcp;
pub mod mgp_member;
mod mgp_metadata;
pub mod negotiation;
pub mod oauth;
pub mod openapi;
pub mod permission;
pub mod printable;
pub mod proposals;
pub mod reference;
mod request_id;
pub mod request_meta;
pub mod rpc;
#[cfg(feature = "schema")]
pub mod schemas;
#[cfg(feature = "seal")]
pub mod seal;
pub mod service_manifest;
pub mod session_state;
pub mod stream;
mod tool_annotations;
pub mod tool_check;
pub mod tool_index;
pub mod tool_metadata;
pub mod tool_result;
pub mod tool_security;
pub mod transaction;
mod unknown_name;

pub use unknown_name::UnknownName;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

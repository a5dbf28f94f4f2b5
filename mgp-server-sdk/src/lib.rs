//! Build an MGP (and MCP) tool server from plain functions.
//!
//! A tool is a function; its arguments are [extractors](extract). Clients with MGP get security metadata, streaming, health and
//! shutdown; plain MCP clients get plain MCP. The [guide](https://github.com/mgp-rs/mgp/blob/main/docs/server.md) covers all of
//! it.
//!
//! ```no_run
#![doc = include_str!("../examples/add.rs")]
//! ```
//!
//! | to | use |
//! |---|---|
//! | declare the parts of a server | [`Server`], [`Tool`], [`Resource`], [`ResourceTemplate`], [`Prompt`] |
//! | combine servers | [`Server::merge`], [`Server::nest`] |
//! | read a call | the [extractors](extract); its arguments fit the [schema] of their tool |
//! | answer it | [`IntoToolResult`], [`IntoResource`], [`IntoPrompt`], [`IntoCompletion`], and [`ToolError`] |
//! | report the outcome of a call | [`Outcome`], [`Failure`] |
//! | ask the client | [`ask`] |
//! | notify clients of events | [`Server::channel`], [`events`] |
//! | run for a long time | [`task`] |
//! | continue where an earlier call ended | [`checkpoint`] |
//! | keep state between the calls of a session | [`session_state`] |
//! | serve it | [`Server::serve_stdio`], or [`Server::build`] and a [`ServerStack`] for everything else |
//! | test it | [`Server::test_client`]: [`testing`] |
//! | find out why a function is not a handler | [`debug_handler!`] |
//!
//! | feature | |
//! |---|---|
//! | `check-arguments` (default) | arguments are checked against the [schema] of their tool, beyond what their Rust type checks |
//! | `code-safety` | the extractor `CodeSafety`: a handler checks code that its tool takes |
//! | `stdio` (default) | [`Server::serve_stdio`]: a server on this process's stdin and stdout |
//! | `http` | `Server::serve_http`, and `ServerStack::http` for keys, tokens, other hosts and bounds |
//! | `macros` | the attributes `#[tool]`, `#[prompt]`, `#[resource]` and `#[server]`, which take descriptions from doc comments |
//! | `openapi` | `Server::from_openapi`: the operations of an HTTP API as tools |
//! | `full` | all of them |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
pub mod ask;
mod asking;
#[cfg(feature = "macros")]
mod attributes;
mod call;
pub mod checkpoint;
#[cfg(feature = "code-safety")]
pub mod code_safety;
mod completion;
pub mod era;
mod error;
pub mod events;
pub mod extract;
mod from_call;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod handler;
pub mod handshake;
pub mod lane;
pub mod logging;
mod needs;
pub mod notify;
#[cfg(feature = "openapi")]
pub mod openapi;
pub mod permission;
mod prompt;
mod resource;
mod router;
mod seal;
mod server;
pub mod session_state;
pub mod task;
pub mod testing;
mod tool;

pub use answer::{
    Failure, IntoCompletion, IntoPrompt, IntoResource, IntoToolError, IntoToolResult, Json, OutputSchema,
    ResultSchema, ToolError,
};
pub use call::Call;
pub use error::Error;
pub use handler::Handler;
#[doc(hidden)]
pub use handler::check as __check;
pub use notify::Notifier;
pub use prompt::Prompt;
pub use resource::{Resource, ResourceTemplate};
pub use server::{Server, ServerStack};
pub use tool::Tool;

#[cfg(feature = "macros")]
pub use attributes::{prompt, resource, server, tool};
#[cfg(feature = "check-arguments")]
pub use mgp_types::json_schema as schema;
pub use schemars;
pub use serde;

pub use mgp_lifecycle::health::{HealthCheck, Weight};
pub use mgp_stream::{
    progress::{Progress, ProgressStep},
    sink::{StreamContent, StreamSink},
};
#[cfg(feature = "http")]
pub use mgp_transport::http::server as http;
pub use mgp_transport::{
    connection, memory,
    seam::{BoxError, BoxPeerService, CancelToken, Incoming, Peer, PeerService, Reply, Session},
};
pub use mgp_types::{
    context::{Principal, RiskLevel, TraceId, TrustLevel},
    json::{RawJson, RawObject},
    mcp::{
        self, AudioContent, CallToolResult, ContentBlock, ImageContent, LoggingLevel, PromptMessage,
        ResourceContents, Role, ToolAnnotations,
    },
    negotiation::{Extension, Negotiation},
    rpc::{self, ErrorObject},
    tool_metadata,
    tool_result::{self, ErrorDetail, ErrorDetails, ErrorType, Outcome, Provenance, ResultStatus},
    tool_security::SecurityMetadata,
};

#[cfg(all(doctest, feature = "stdio"))]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(all(doctest, feature = "full"))]
#[doc = include_str!("../docs/server.md")]
mod guide {}

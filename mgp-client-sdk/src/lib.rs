//! MGP clients: a [`Client`](client::Client) of one server. Many servers behind one pipeline are the crate `mgp-kernel`.
//!
//! | module | content |
//! |---|---|
//! | [`client`] | a client of one server, connected to it directly; its functions are the same in both eras of MCP |
//! | `auth` | authorization toward servers over HTTP, as an OAuth client (feature `oauth`) |
//!
//! `examples/client.rs` runs from one end to the other.
//!
//! | feature | |
//! |---|---|
//! | `child` (default) | servers as child processes: `ClientBuilder::connect_child` |
//! | `check-results` | structured content is checked against the output schemas that the server lists |
//! | `http` | servers over HTTP: `ClientBuilder::connect_http` |
//! | `oauth` | the module `auth`; includes `http` |
//! | `full` | everything |
//!
//! A client that answers its server's questions and receives its changes:
//!
//! ```
//! use mgp_client_sdk::{
//!     client::{Change, Client},
//!     mcp::{ElicitParams, ElicitResult, SubscriptionFilter},
//! };
//! # use mgp_client_sdk::RawJson;
//! # use mgp_server_sdk::{Notifier, Server, Tool, ToolError, ask::Ask};
//! # async fn install(ask: Ask, notifier: Notifier) -> Result<String, ToolError> {
//! #     let form = RawJson::parse(r#"{"type":"object","properties":{}}"#)?;
//! #     let answer = ask.elicit("sure", ElicitParams::form("Install it?", form)).await?;
//! #     notifier.tools_changed().await;
//! #     Ok(answer.action.to_string())
//! # }
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! async fn ask_the_user(question: ElicitParams) -> ElicitResult {
//!     println!("{}", question.message());
//!     ElicitResult::accept()
//! }
//!
//! # let install = Tool::new("install", "Installs more tools", install);
//! # let (input, output) = Server::new("s", "1").tool(install).build()?.in_process();
//! let client = Client::builder("example", "1.0.0").on_elicit(ask_the_user).connect(input, output).await?;
//! let wanted = SubscriptionFilter { tools_list_changed: true, ..Default::default() };
//! let mut changes = client.subscribe(wanted).await?;
//! let answer = client.call_tool("install", ()).await?;
//! assert!(answer.content[0].as_text() == Some("accept"));
//! assert!(changes.next().await? == Change::Tools);
//! # Ok(()) }
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "oauth")]
pub mod auth;
#[doc(hidden)]
pub mod call_clock;
#[doc(hidden)]
pub mod callbacks;
pub mod client;
#[doc(hidden)]
pub mod left_out;
#[allow(missing_debug_implementations, reason = "the parts that the kernel shares, not an API")]
#[doc(hidden)]
pub mod session;

pub use session::{Era, EraChoice, Greeting, HandshakeError};

pub use mgp_lifecycle::state::ServerStatus;
#[cfg(feature = "child")]
pub use mgp_transport::child::ChildCommand;
#[cfg(feature = "http")]
pub use mgp_transport::http::client::{ClientTransport, HttpClientConfig, HttpClientError};
#[cfg(feature = "oauth")]
pub use mgp_transport::http::fetch::FetchLimits;
pub use mgp_transport::{
    connection::{Config as ConnectionConfig, Connection},
    memory,
    seam::{
        BoxError, BoxPeerService, CallError, CallEvent, Decision, Incoming, Judge, Notification, Peer,
        PeerService, PendingCall, Refusal, RefusalKind, Reply, Role, RouteError, Routes, Session, ToolCall,
    },
};
pub use mgp_types::{
    access::{AccessDecision, AccessEntry, DefaultPolicy, EntryType, RoleRule},
    audit::{AuditEvent, AuditReplayParams},
    callback::{CallbackRequestParams, CallbackType},
    context::{Principal, TrustLevel},
    discovery::{DeregisterServerParams, DeregisterServerResult, RegisterServerParams, RegisterServerResult},
    error::ErrorCode,
    json::{JsonError, Nullable, RawJson, RawObject},
    lifecycle::{RestartConfig, RestartPolicy, ServerState},
    mcp::{self, CallToolResult},
    negotiation::{Extension, ExtensionSet, Negotiation},
    permission::{Permission, PermissionPolicy},
    rpc::{Call, ErrorObject, Method, Notice, RawParams, RawResult},
    stream::StreamChunkParams,
    tool_index::WaitingTools,
    tool_security::{OnChange, SecretPolicy, ValidatorName},
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(all(doctest, feature = "child", feature = "http"))]
#[doc = include_str!("../docs/client.md")]
mod guide {}

#[cfg(doctest)]
#[doc = include_str!("../docs/outcomes.md")]
mod outcomes {}

//! MGP clients: a [`Client`](client::Client) of one server and, with the feature `kernel`, the kernel between any host and many
//! servers.
//!
//! | module | content |
//! |---|---|
//! | [`client`] | a client of one server, connected to it directly; its functions are the same in both eras of MCP |
//! | `auth` | authorization toward servers over HTTP, as an OAuth client (feature `oauth`) |
//! | `kernel` | many servers behind one pipeline: access, permissions, validators, audit, the tool index (feature `kernel`) |
//!
//! Both run from one end to the other in `examples/client.rs` and `examples/kernel.rs`.
//!
//! | feature | |
//! |---|---|
//! | `child` (default) | servers as child processes: `ClientBuilder::connect_child`, `Endpoint::Child` |
//! | `check-results` | structured content is checked against the output schemas that the server lists |
//! | `http` | servers over HTTP: `ClientBuilder::connect_http`, `Endpoint::Http` |
//! | `oauth` | the module `auth`; includes `http` |
//! | `kernel` | the module `kernel`, with hosts over HTTP |
//! | `fastembed` | sentence models for the kernel's tool index; includes `kernel` |
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
mod call_clock;
mod callbacks;
pub mod client;
#[cfg(feature = "kernel")]
pub mod kernel;
mod left_out;
mod session;

pub use session::{Era, EraChoice, Greeting, HandshakeError};

#[cfg(feature = "kernel")]
pub use mgp_discovery::{
    config::{AuditBefore, Config as Configuration, HostFeature, RefusalForm},
    registration::{MemoryRegistrationStore, Registration, RegistrationStore, SqliteRegistrationStore},
    registry::{RegisteredServer, RegistryError},
};
pub use mgp_lifecycle::state::ServerStatus;
#[cfg(feature = "cedar")]
pub use mgp_security::access::{CedarError, CedarPolicies};
#[cfg(feature = "kernel")]
pub use mgp_security::{
    access::{
        AccessControl, AccessPolicy, AccessRequest, CallArguments, PolicyDecision, RequestedTool, StoreError,
    },
    audit::{AuditError, AuditFilter, AuditLog, AuditLogConfig, AuditSink, Durability, MemorySink},
    definition::{DefinitionStore, Definitions, MemoryDefinitionStore, SqliteDefinitionStore},
    permission::{
        ApprovalTerm, Approver, ConfirmationStore, Confirmations, MemoryConfirmationStore,
        MemoryPermissionStore, PermissionRules, PermissionStore, Permissions, SqlitePermissionStore,
    },
    profile::{Confirmation, ToolProfile},
    validator::{Validator, Validators},
};
#[cfg(feature = "kernel")]
pub use mgp_server_sdk::ServerStack;
#[cfg(feature = "kernel")]
pub use mgp_toolindex::{
    budget::{BudgetError, ToolContextBudget},
    catalogue::NamedTool,
    exposure::Exposure,
    index::{IndexError, IndexStats, Search, SearchResult, ToolIndexBuilder},
    session::SessionBounds,
    tokens::TokenCounter,
};
#[cfg(feature = "child")]
pub use mgp_transport::child::ChildCommand;
#[cfg(feature = "http")]
pub use mgp_transport::http::client::{ClientTransport, HttpClientConfig, HttpClientError};
#[cfg(feature = "oauth")]
pub use mgp_transport::http::fetch::FetchLimits;
#[cfg(feature = "kernel")]
pub use mgp_transport::http::server::{
    ApiKey, Denial, HttpServer, HttpServerBuilder, HttpServerConfig, RunningServer, ServeError,
};
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

#[cfg(all(doctest, feature = "kernel"))]
#[doc = include_str!("../docs/layers.md")]
mod layers {}

#[cfg(all(doctest, feature = "child", feature = "http"))]
#[doc = include_str!("../docs/client.md")]
mod guide {}

#[cfg(doctest)]
#[doc = include_str!("../docs/outcomes.md")]
mod outcomes {}

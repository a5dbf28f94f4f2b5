//! The kernel: many servers, one pipeline, any host. It mediates between hosts and servers, and adds MGP's guarantees.
//!
//! `examples/kernel.rs` runs from one end to the other.
//!
//! | feature | |
//! |---|---|
//! | `child` (default) | servers as child processes: [`Endpoint::Child`] |
//! | `http` | servers over HTTP: [`Endpoint::Http`] |
//! | `openapi` | HTTP APIs as servers: `Endpoint::Api` |
//! | `oauth` | authorization toward servers over HTTP; includes `http` |
//! | `cedar` | policies in the language Cedar |
//! | `fastembed` | sentence models for the tool index |
//! | `metrics` | metrics as text for Prometheus |
//! | `s3` | the data of long kept results in a store that speaks S3 |
//! | `full` | everything |
//!
//! Hosts over HTTP need no feature.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod boot;
mod catalog;
mod exchange;
mod features;
mod ground;
mod host;
mod path;
mod rights;
mod upstream;

pub use boot::builder::{KernelBuilder, KernelError, ProgramSettings};
pub use boot::kernel::Kernel;
pub use boot::limit_rules::limit_rules;
pub use boot::operator::{JudgedTool, Operator};
pub use boot::reload::{ReloadError, configuration_change};
pub use catalog::tools::SuspectTool;
pub use catalog::unavailable::ClosedTools;
pub use features::instances::HostFolder;
pub use features::registration::Registrar;
pub use ground::configuration_error::ConfigurationError;
#[cfg(feature = "postgres")]
pub use ground::migration::{
    MigratedSection, MigratedTable, MigrationError, NOT_MIGRATED, StateLocation, StateMigration,
};
#[cfg(feature = "s3")]
pub use ground::reference_store::ObjectReferenceStore;
pub use ground::reference_store::{
    KeptTotals, NewReference, ReferenceName, ReferenceStore, ReferenceUpload, RoomBounds, RoomShortage,
    STORED_CHUNK, SqlReferenceStore, StoredReference,
};
pub use ground::state::{StateError, StateFolder};
pub use ground::stores::Stores;
pub use ground::trace::SPANS;
pub use host::{ArgumentsText, AskHost, HostFace, ParkedCalls, arguments_in_full, arguments_on_screen};
#[cfg(feature = "metrics")]
pub use path::metrics::METRICS_CONTENT_TYPE;
pub use path::refusal::RefusalsAsErrors;
#[cfg(feature = "openapi")]
pub use upstream::{ApiEndpoint, DocumentPlace};
#[cfg(feature = "child")]
pub use upstream::{CommandEndpoint, CommandSpec};
pub use upstream::{Endpoint, Enforcement, InProcess, Server, ServerSpec, StateChange, StateChanges};

pub use mgp_client_sdk::{Era, EraChoice, Greeting, HandshakeError};

pub use mgp_discovery::{
    config::{
        self, AuditBefore, Config as Configuration, HostFeature, InstanceScope, ReferencesConfig,
        RefusalForm, SecretReader, SecretSource,
    },
    listing::ListingStore,
    public_registry::Recommender,
    registration::{Registration, RegistrationStore, SqlRegistrationStore},
    registry::{RegisteredServer, RegistryError},
};
#[cfg(feature = "postgres")]
pub use mgp_lifecycle::replica::{MAX_REPLICA_REPORT, ReplicaReport, SqlReplicaStore};
pub use mgp_lifecycle::{
    idempotency::IdempotencyStore,
    state::ServerStatus,
    transaction::{CompensationTemplate, TransactionStore},
};
#[cfg(feature = "cedar")]
pub use mgp_security::access::{CedarError, CedarPolicies, CedarProblem};
pub use mgp_security::{
    access::{
        AccessControl, AccessKey, AccessPolicy, AccessRequest, CallArguments, PolicyDecision, RequestedTool,
        StoreError,
    },
    audit::{
        AuditError, AuditFilter, AuditLog, AuditLogConfig, AuditSink, Durability, EventDraft, JournalMode,
        MemorySink, StoreFuture,
    },
    command::command_word,
    definition::{DefinitionStore, Definitions, SqlDefinitionStore},
    limits::{LimitRule, lease::LeaseStore, quota::QuotaStore},
    permission::{
        ApprovalTerm, Approver, ConfirmationBatch, ConfirmationQuestion, ConfirmationStore,
        ConfirmationVerdict, Confirmations, Deny, PendingApprover, PermissionQuestion, PermissionRules,
        PermissionStore, PermissionVerdict, Permissions, SqlPermissionStore,
    },
    profile::{Confirmation, ToolProfile},
    validator::{Validator, Validators},
};
pub use mgp_server_sdk::ServerStack;
#[cfg(feature = "s3")]
pub use mgp_store::objects::ObjectFolder;
pub use mgp_store::sql::SqlStore;
pub use mgp_toolindex::{
    budget::ToolContextBudget,
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
    audit::{AuditEvent, AuditEventType, AuditReplayParams, AuditResult},
    callback::{CallbackRequestParams, CallbackType},
    context::{Principal, TrustLevel},
    discovery::{DeregisterServerParams, DeregisterServerResult, RegisterServerParams, RegisterServerResult},
    error::ErrorCode,
    json::{JsonError, Nullable, RawJson, RawObject},
    lifecycle::{ConfigurationChange, RestartConfig, RestartPolicy, ServerState},
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

#[cfg(doctest)]
#[doc = include_str!("../docs/kernel.md")]
mod page {}

#[cfg(doctest)]
#[doc = include_str!("../docs/layers.md")]
mod layers {}

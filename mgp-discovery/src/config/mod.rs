//! §15.2 `mgp.toml`: its keys, the reading of the file, and the messages about mistakes in it.

mod access;
#[cfg(feature = "schema")]
mod annotate;
mod approvals;
mod audit;
mod code_safety;
mod code_variables;
mod compensation;
mod confinement;
mod console;
mod describe;
mod discovery;
mod error;
mod expand;
mod habits;
mod host_feature;
mod http;
mod idempotency;
mod kernel;
mod limits;
mod load;
mod model;
mod nearest;
mod oauth;
mod passed_extensions;
mod path;
mod permissions;
mod references;
mod refusals;
mod replicas;
mod results;
#[cfg(feature = "schema")]
mod schema;
mod secret_source;
mod server;
mod server_api;
mod server_command;
mod server_mgp;
mod server_oauth;
mod span;
mod store;
mod telemetry;
mod text;
mod tool_creation;
mod tool_index;
mod validate;
mod variables;

#[cfg(test)]
mod tests;

pub use access::{AccessConfig, AgentConfig, Grant, RoleConfig, RoleGrant};
pub use approvals::{ApprovalsConfig, NotifyKind, NotifyTarget};
pub use audit::{AuditBefore, AuditConfig, AuditJournal, Synchronous};
pub use code_safety::CodeSafetyConfig;
pub use compensation::CompensationConfig;
pub use confinement::ServerConfinement;
pub use console::ConsoleConfig;
pub use discovery::DiscoveryConfig;
pub use error::{ConfigError, Problem};
pub use host_feature::{HostFeature, InstanceScope, ServerEra};
pub use http::{ApiKey, HttpConfig};
pub use idempotency::IdempotencyConfig;
pub use kernel::{KernelConfig, Limits};
pub use limits::{CallerLimit, LimitsConfig, TargetLimit};
pub use load::{Lookup, MAX_FILE_SIZE, read_bytes};
pub use model::{Config, SCHEMA_URL};
pub use nearest::nearest;
pub use oauth::{OAuthClaim, OAuthConfig, OAuthIntrospection, OAuthIssuer};
pub use passed_extensions::PassedExtensions;
pub use path::KeyPath;
pub use permissions::PermissionsConfig;
pub use references::{ReferencesConfig, ResultLimits};
pub use refusals::RefusalForm;
pub use replicas::ReplicasConfig;
pub use results::ResultsConfig;
#[cfg(feature = "schema")]
pub use schema::{ConfigKey, config_keys, config_schema};
pub use secret_source::{MAX_SECRET, SecretReader, SecretSource, secret_name};
pub use server::{Auth, BasicAuth, ServerConfig, Transport};
pub use server_api::{ApiMethod, ApiRule};
pub use server_command::{CommandPart, CommandTool, command_parts};
pub use server_mgp::{Confirmation, ServerMgp};
pub use server_oauth::{OAuthGrant, ServerOAuth};
pub use span::replace_values;
pub use store::{OnOutage, StoreConfig};
pub use telemetry::TelemetryConfig;
pub use text::{Secret, Text};
pub use tool_creation::ToolCreationConfig;
pub use tool_index::{EmbedderKind, ToolIndexConfig};
pub use validate::server_id;

pub(crate) use code_variables::runs_other_code;
pub(crate) use error::Finding;
pub(crate) use validate::one_server;

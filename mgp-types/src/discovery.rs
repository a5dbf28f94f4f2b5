//! §15 Discovery: listing, registering and removing servers.

use crate::{
    context::TrustLevel,
    json::{Nullable, RawObject},
    lifecycle::{HealthStatus, ServerState},
    rpc::Empty,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

calls! {
    /// Lists the servers that a registry knows (§15.2).
    call ListServers = "mgp/discovery/list": ListServersParams => ListServersResult;
    /// Returns the service manifest of the tools that the caller may call, in the form of the extension proposals. Not in the
    /// specification.
    call GetManifest = "mgp/discovery/manifest": Empty => RawObject;
    /// Adds a server while the kernel is running (§15.4).
    call RegisterServer = "mgp/discovery/register": RegisterServerParams => RegisterServerResult;
    /// Removes a server that was added while the kernel was running (§15.5).
    call DeregisterServer = "mgp/discovery/deregister": DeregisterServerParams => DeregisterServerResult;
}

/// The servers to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListServersParams {
    /// The filter that a server must meet to be listed; all servers if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<ServerFilter>,
}

/// The conditions that a server must meet to be listed. All of them apply.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServerFilter {
    /// The extensions that the server must have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<String>>,
    /// The permissions that the server must need.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// The state that the server must be in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ServerState>,
}

/// The result of [`ListServers`]: the servers that meet the filter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListServersResult {
    /// The servers, in the order of the configuration.
    pub servers: Vec<ServerEntry>,
}

/// A server as a registry lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServerEntry {
    /// The server's id.
    pub id: String,
    /// The server's state.
    pub status: ServerState,
    /// The health as reported by the server; absent without a report, and while the server is not connected. Not in the specification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<HealthStatus>,
    /// The version of MGP that the server speaks; `null` or absent for a plain MCP server.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub mgp_version: Nullable<String>,
    /// The extensions that were negotiated with the server.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// The names of the server's tools that the caller may call.
    #[serde(default)]
    pub tools: Vec<String>,
    /// The server's trust level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust_level: Option<TrustLevel>,
}

/// The server to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegisterServerParams {
    /// The id to give the server.
    pub id: String,
    /// The program to run, for `stdio`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The program's arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// The program's environment variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// The transport to the server: `stdio` or `http`.
    pub transport: String,
    /// The server's URL, for `http`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The server's declaration about itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mgp: Option<ServerDeclaration>,
    /// The requester, in the sender's words. The authenticated caller is recorded instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// The reason for adding the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub justification: Option<String>,
}

/// The part of a server's configuration that concerns MGP (§15.2).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ServerDeclaration {
    /// The server's extensions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<String>>,
    /// The permissions that the server needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions_required: Option<Vec<String>>,
    /// The trust level that the server claims. The server is sandboxed regardless.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust_level: Option<TrustLevel>,
}

/// The server that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegisterServerResult {
    /// The server's id.
    pub id: String,
    /// The server's state.
    pub status: ServerState,
    /// The server's trust level.
    pub trust_level: TrustLevel,
    /// MGP's metadata about the message.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub mgp: Option<RawObject>,
}

/// The server to remove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeregisterServerParams {
    /// The server's id.
    pub id: String,
    /// The reason for removing the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The result of removing a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeregisterServerResult {
    /// The server's id.
    pub id: String,
    /// True if the server existed and was removed.
    pub removed: bool,
}

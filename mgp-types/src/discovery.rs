//! §15 Discovery: listing, registering and removing servers.

use crate::{
    context::TrustLevel,
    json::{Nullable, RawObject},
    lifecycle::ServerState,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

calls! {
    /// Lists the servers that a registry knows (§15.2).
    call ListServers = "mgp/discovery/list": ListServersParams => ListServersResult;
    /// Adds a server while the kernel runs (§15.4).
    call RegisterServer = "mgp/discovery/register": RegisterServerParams => RegisterServerResult;
    /// Removes such a server (§15.5).
    call DeregisterServer = "mgp/discovery/deregister": DeregisterServerParams => DeregisterServerResult;
}

/// Which servers to list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ListServersParams {
    /// Which ones; absent is all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<ServerFilter>,
}

/// What a server must have to be listed: all of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ServerFilter {
    /// Extensions that it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<String>>,
    /// Permissions that it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
    /// Where it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ServerState>,
}

/// The servers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ListServersResult {
    /// The servers, in the order of the configuration.
    pub servers: Vec<ServerEntry>,
}

/// A server as a registry lists it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerEntry {
    /// Its id.
    pub id: String,
    /// Where it stands.
    pub status: ServerState,
    /// The version of MGP that it speaks; `null` or absent for a plain MCP server.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub mgp_version: Nullable<String>,
    /// The extensions that were negotiated with it.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// The names of its tools that the asker may call.
    #[serde(default)]
    pub tools: Vec<String>,
    /// How far it is trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust_level: Option<TrustLevel>,
}

/// The server to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterServerParams {
    /// The id that it will have.
    pub id: String,
    /// The program to run, for `stdio`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<String>>,
    /// Its environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// How to reach it: `stdio` or `http`.
    pub transport: String,
    /// Where it is, for `http`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// What it says of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mgp: Option<ServerDeclaration>,
    /// Who made it, in the sender's words. The authenticated caller is written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub justification: Option<String>,
}

/// What a server's configuration says of MGP (§15.2).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ServerDeclaration {
    /// Its extensions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Vec<String>>,
    /// The permissions that it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions_required: Option<Vec<String>>,
    /// How far it wants to be trusted. It is sandboxed all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust_level: Option<TrustLevel>,
}

/// The server that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterServerResult {
    /// Its id.
    pub id: String,
    /// Where it stands.
    pub status: ServerState,
    /// How far it is trusted.
    pub trust_level: TrustLevel,
    /// What MGP says about the message.
    #[serde(rename = "_mgp", default, skip_serializing_if = "Option::is_none")]
    pub mgp: Option<RawObject>,
}

/// The server to remove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeregisterServerParams {
    /// Its id.
    pub id: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether there was such a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeregisterServerResult {
    /// Its id.
    pub id: String,
    /// Whether there was one.
    pub removed: bool,
}

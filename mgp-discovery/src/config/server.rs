//! `[[servers]]`: the tool servers, and the way to reach each (§15.2).

use super::{
    confinement::ServerConfinement,
    server_mgp::ServerMgp,
    server_oauth::ServerOAuth,
    text::{Secret, Text},
};
use mgp_types::access::DefaultPolicy;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, collections::BTreeMap};

/// One `[[servers]]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// The id by which grants, calls and the audit name the server.
    pub id: String,
    /// The program to start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Text>,
    /// The arguments of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Text>,
    /// Variables that are added to the environment of the program.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, Secret>,
    /// Variables of the gateway that the program inherits in addition to those of every server; a trailing `*` matches any text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inherit: Vec<String>,
    /// The folder that the program runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Text>,
    /// The transport. `None` means `http` if there is a URL, and `stdio` otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// The address of the server, over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Text>,
    /// Headers that are added to every HTTP request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, Secret>,
    /// The credentials that the kernel presents to the server, over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<Auth>,
    /// True if the server is disabled.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    /// The default policy for this server. `None` means the kernel's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_policy: Option<DefaultPolicy>,
    /// The confinement of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confinement: Option<ServerConfinement>,
    /// The server's settings for MGP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mgp: Option<ServerMgp>,
    /// The reason the server cannot be reached with the current environment, such as an unset variable. `None` without a fault. Not a key of
    /// the file.
    #[serde(skip)]
    pub fault: Option<String>,
}

impl ServerConfig {
    /// Creates a server with an id and nothing else.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            inherit: Vec::new(),
            cwd: None,
            transport: None,
            url: None,
            headers: BTreeMap::new(),
            auth: None,
            disabled: false,
            default_policy: None,
            confinement: None,
            mgp: None,
            fault: None,
        }
    }

    /// Returns the server's settings for MGP, with defaults for missing keys.
    #[must_use]
    pub fn settings(&self) -> Cow<'_, ServerMgp> {
        self.mgp.as_ref().map_or_else(|| Cow::Owned(ServerMgp::default()), Cow::Borrowed)
    }

    /// Returns the transport by which the server is reached.
    #[must_use]
    pub fn transport(&self) -> Transport {
        self.transport.unwrap_or(if self.url.is_some() { Transport::Http } else { Transport::Stdio })
    }
}

/// The transport by which a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// A child process with one message per line.
    Stdio,
    /// Streamable HTTP.
    #[serde(alias = "streamable-http")]
    Http,
}

/// The `auth` table of a server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// A token, sent as `Authorization: Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearer: Option<Secret>,
    /// A key, sent in a separate header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<Secret>,
    /// The header of the key. `None` means `x-api-key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Tokens that are obtained when the server requires them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<ServerOAuth>,
}

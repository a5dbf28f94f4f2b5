//! `[[servers]]`: where a tool server is and how to reach it (§15.2).

use super::{
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
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Text>,
    /// Variables that are added to its environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, Secret>,
    /// The folder that it runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Text>,
    /// How it is reached; `stdio` where it has a command, `http` where it has a URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// Where it is, over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Text>,
    /// Headers that are added to every HTTP request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, Secret>,
    /// How we prove to it who we are, over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<Auth>,
    /// Whether it is left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    /// The default policy for this server; the kernel's where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_policy: Option<DefaultPolicy>,
    /// What MGP needs to know of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mgp: Option<ServerMgp>,
}

impl ServerConfig {
    /// A server with an id and nothing else.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            command: None,
            args: Vec::new(),
            env: BTreeMap::new(),
            cwd: None,
            transport: None,
            url: None,
            headers: BTreeMap::new(),
            auth: None,
            disabled: false,
            default_policy: None,
            mgp: None,
        }
    }

    /// What MGP needs to know of it, with the defaults where the file says nothing.
    #[must_use]
    pub fn settings(&self) -> Cow<'_, ServerMgp> {
        self.mgp.as_ref().map_or_else(|| Cow::Owned(ServerMgp::default()), Cow::Borrowed)
    }

    /// How it is reached.
    #[must_use]
    pub fn transport(&self) -> Transport {
        self.transport.unwrap_or(if self.url.is_some() { Transport::Http } else { Transport::Stdio })
    }
}

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// A child process with one message a line.
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
    /// A key, sent in a header of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<Secret>,
    /// The header of the key; `x-api-key` where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Tokens that are got when the server asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<ServerOAuth>,
}

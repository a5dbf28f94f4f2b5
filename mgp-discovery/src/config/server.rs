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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// The id that grants, calls and the audit use. Unique. See [Ids](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#ids).
    pub id: String,
    /// The program to start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Text>,
    /// The program's arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Text>,
    /// A variable that is added to the program's environment.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, Secret>,
    /// Variables of the gateway's environment that the program gets too, where they are set, such as `"DOCKER_HOST"` or `"AWS_*"`. See [Environment
    /// of servers](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#environment-of-servers).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inherit: Vec<String>,
    /// The program's working directory. Default: the gateway's, or the private folder of a
    /// [confined](https://github.com/mgp-rs/mgp/blob/main/docs/confinement.md) server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Text>,
    /// The transport by which the server is reached. Default: `http` if there is a `url`, else `stdio`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("x-also" = {"streamable-http": "http"})))]
    pub transport: Option<Transport>,
    /// The server's address, `http` or `https`, without user name and password. If it does not speak Streamable HTTP, HTTP+SSE (the transport of
    /// 2024-11-05) is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Text>,
    /// A header that is added to every request. Headers that the transport sets are not allowed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, Secret>,
    /// The credentials that the kernel presents to the server, over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<Auth>,
    /// True if the server is left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
    /// The default policy for this server. Default: `kernel.default_policy`.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// A token, sent as `Authorization: Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearer: Option<Secret>,
    /// A key, sent in a separate header. Excludes `bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<Secret>,
    /// The header of `api_key`. Default: `x-api-key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Tokens that are obtained when the server requires them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<ServerOAuth>,
}

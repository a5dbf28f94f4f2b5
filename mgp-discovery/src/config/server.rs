//! `[[servers]]`: the tool servers, and the way to reach each (§15.2).

use super::{
    confinement::ServerConfinement,
    server_api::ApiRule,
    server_command::CommandTool,
    server_mgp::ServerMgp,
    server_oauth::ServerOAuth,
    text::{Secret, Text},
    tool_shape::ToolShape,
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
    /// The transport by which the server is reached. Default: `http` if there is a `url`, `openapi` or `commands` if there is
    /// such a key, else `stdio`.
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
    /// The OpenAPI document of an HTTP API, a file or a URL. Its operations are the tools. See
    /// [openapi.md](https://github.com/mgp-rs/mgp/blob/main/docs/openapi.md).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub openapi: Option<Text>,
    /// The URL that the document's paths follow. Requests go only to its host. Default: the first one that the document names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<Text>,
    /// The operations that are tools: those that one of these rules matches. All of them if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<ApiRule>,
    /// The operations that are not tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<ApiRule>,
    /// The most pages of a list that one call reads and joins. Default: 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100)))]
    pub max_pages: Option<u32>,
    /// Commands of this machine that are the tools. See [openapi.md](https://github.com/mgp-rs/mgp/blob/main/docs/openapi.md#commands-as-tools).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandTool>,
    /// Changes of the server's tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolShape>,
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
            openapi: None,
            base_url: None,
            include: Vec::new(),
            exclude: Vec::new(),
            max_pages: None,
            commands: Vec::new(),
            tools: Vec::new(),
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
        self.transport.unwrap_or(if self.url.is_some() {
            Transport::Http
        } else if self.openapi.is_some() {
            Transport::Openapi
        } else if !self.commands.is_empty() {
            Transport::Commands
        } else {
            Transport::Stdio
        })
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
    /// Requests to an HTTP API.
    Openapi,
    /// A run of a command for each call.
    Commands,
}

/// The `auth` table of a server.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct Auth {
    /// A token, sent as `Authorization: Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bearer: Option<Secret>,
    /// A user name and a password, sent as `Authorization: Basic`. Excludes `bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic: Option<BasicAuth>,
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

/// The `auth.basic` table of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct BasicAuth {
    /// The user name, without a colon.
    pub user: Text,
    /// The password.
    pub password: Secret,
}

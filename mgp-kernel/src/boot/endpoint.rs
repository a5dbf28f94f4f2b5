//! The endpoints of configured servers, with their credentials.

use crate::{ConfigurationError, Endpoint, upstream::EndpointAtStart};
use mgp_discovery::config::{SecretReader, ServerConfig, Transport};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The places outside of the configuration that hold credentials of servers.
#[derive(Debug, Clone, Default)]
pub(crate) struct CredentialSources {
    /// The folder of OAuth tokens. Without a folder, they are kept in memory.
    pub(crate) tokens: Option<PathBuf>,
    /// The reader of the secrets that values name.
    pub(crate) secrets: Option<Arc<dyn SecretReader>>,
}

impl CredentialSources {
    /// Returns the endpoint of a server whose values name secrets, to be derived at each start; `None` for any other server.
    pub(super) fn at_start(&self, server: &ServerConfig) -> Option<EndpointAtStart> {
        let sources = server.secret_sources();
        let (first, _) = sources.first()?;
        let fault = format!("{first}: this program reads no secrets");
        let (whole, credentials) = (server.clone(), self.clone());
        Some(EndpointAtStart::new(move || {
            let (mut server, credentials, fault) = (whole.clone(), credentials.clone(), fault.clone());
            async move {
                server.read_secrets(&**credentials.secrets.as_ref().ok_or(fault)?).await?;
                endpoint(&server, credentials.tokens.as_deref()).map_err(|error| error.to_string())
            }
        }))
    }
}

/// Returns the endpoint of a server in a configuration. OAuth tokens are kept in the folder `tokens`, or in memory without a folder.
pub(crate) fn endpoint(server: &ServerConfig, tokens: Option<&Path>) -> Result<Endpoint, ConfigurationError> {
    match server.transport() {
        Transport::Stdio => child(server),
        Transport::Http => http(server, tokens),
        Transport::Openapi => api(server, tokens),
        Transport::Commands => commands(server),
    }
}

#[cfg(feature = "child")]
fn child(server: &ServerConfig) -> Result<Endpoint, ConfigurationError> {
    use mgp_discovery::config::Text;
    let program = server.command.as_ref().map_or("", |command| command.value());
    let command = self::program(server, program).args(server.args.iter().map(Text::value));
    Ok(Endpoint::Child(command))
}

/// Returns the endpoint of a server whose tools are commands.
#[cfg(feature = "child")]
fn commands(server: &ServerConfig) -> Result<Endpoint, ConfigurationError> {
    use crate::upstream::{CommandEndpoint, CommandSpec};
    let spec = |tool: &mgp_discovery::config::CommandTool| CommandSpec {
        program: program(server, tool.argv.first().map_or("", |program| program.value())),
        tool: tool.clone(),
    };
    Ok(Endpoint::Commands(CommandEndpoint { commands: server.commands.iter().map(spec).collect() }))
}

/// Returns the command that starts a program with the environment and the folder of a server.
#[cfg(feature = "child")]
fn program(server: &ServerConfig, program: &str) -> mgp_transport::child::ChildCommand {
    let mut command =
        mgp_transport::child::ChildCommand::new(&server.id, program).inherit(server.inherit.iter().cloned());
    for (name, value) in &server.env {
        command = command.env(name, value.reveal());
    }
    if let Some(folder) = &server.cwd {
        command = command.cwd(folder.value());
    }
    command
}

#[cfg(not(feature = "child"))]
fn commands(server: &ServerConfig) -> Result<Endpoint, ConfigurationError> {
    Err(ConfigurationError::Transport { server: server.id.clone(), transport: "commands" })
}

#[cfg(not(feature = "child"))]
fn child(server: &ServerConfig) -> Result<Endpoint, ConfigurationError> {
    Err(ConfigurationError::Transport { server: server.id.clone(), transport: "stdio" })
}

#[cfg(feature = "http")]
fn http(server: &ServerConfig, tokens: Option<&Path>) -> Result<Endpoint, ConfigurationError> {
    let url = server.url.as_ref().map_or("", |url| url.value()).to_owned();
    let config = client_config(server, &url, tokens)?;
    Ok(Endpoint::Http { url, config })
}

/// Returns the endpoint of a server that is an HTTP API.
#[cfg(feature = "openapi")]
fn api(server: &ServerConfig, tokens: Option<&Path>) -> Result<Endpoint, ConfigurationError> {
    use crate::upstream::{ApiEndpoint, DocumentPlace};
    use mgp_discovery::config::ApiRule;
    use mgp_server_sdk::openapi::{Rule, Selection};
    let rule = |rule: &ApiRule| Rule {
        tag: rule.tag.clone(),
        path: rule.path.clone(),
        method: rule.method.and_then(|method| method.as_str().parse().ok()),
        operation_id: rule.operation.clone(),
    };
    let document = server.openapi.as_ref().map_or("", |document| document.value());
    let document = match url::Url::parse(document) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => DocumentPlace::Url(url),
        _ => DocumentPlace::File(document.into()),
    };
    let base_url = server.base_url.as_ref().map(|url| url.value().to_owned());
    let place = match &document {
        DocumentPlace::Url(url) => url.as_str(),
        DocumentPlace::File(_) => "",
    };
    Ok(Endpoint::Api(ApiEndpoint {
        config: client_config(server, base_url.as_deref().unwrap_or(place), tokens)?,
        document,
        base_url,
        selection: Selection {
            include: server.include.iter().map(rule).collect(),
            exclude: server.exclude.iter().map(rule).collect(),
        },
        max_pages: server.max_pages.map(|pages| pages as usize),
    }))
}

#[cfg(not(feature = "openapi"))]
fn api(server: &ServerConfig, _: Option<&Path>) -> Result<Endpoint, ConfigurationError> {
    Err(ConfigurationError::Transport { server: server.id.clone(), transport: "openapi" })
}

/// Returns the configuration of the client of a server or an API at a URL, with its credentials.
#[cfg(feature = "http")]
fn client_config(
    server: &ServerConfig,
    url: &str,
    tokens: Option<&Path>,
) -> Result<mgp_transport::http::client::HttpClientConfig, ConfigurationError> {
    use base64::{Engine, prelude::BASE64_STANDARD};
    use http::{HeaderName, HeaderValue};
    use mgp_transport::http::client::{ClientTransport, HttpClientConfig};
    let wrong = |what: &str, name: &str| ConfigurationError::Server {
        server: server.id.clone(),
        reason: format!("invalid {what} {name:?}: it cannot stand in an HTTP header"),
    };
    let mut config = HttpClientConfig {
        // A URL does not reveal which of the two transports it needs.
        transport: ClientTransport::Auto,
        ..HttpClientConfig::default()
    };
    let mut set = |name: &str, value: &str| {
        let header = HeaderName::try_from(name).map_err(|_| wrong("name of the header", name))?;
        let mut value = HeaderValue::try_from(value).map_err(|_| wrong("value of the header", name))?;
        value.set_sensitive(true);
        config.headers.insert(header, value);
        Ok(())
    };
    for (name, value) in &server.headers {
        set(name, value.reveal())?;
    }
    if let Some(auth) = &server.auth {
        if let Some(key) = &auth.api_key {
            set(auth.header.as_deref().unwrap_or("x-api-key"), key.reveal())?;
        }
        if let Some(basic) = &auth.basic {
            let pair = format!("{}:{}", basic.user.value(), basic.password.reveal());
            set("authorization", &format!("Basic {}", BASE64_STANDARD.encode(pair)))?;
        }
        config.bearer = auth.bearer.as_ref().map(|bearer| bearer.reveal().to_owned());
    }
    if let Some(oauth) = server.auth.as_ref().and_then(|auth| auth.oauth.as_ref()) {
        config.authorize = Some(authorize(server, url, oauth, tokens)?);
    }
    Ok(config)
}

/// Returns the OAuth client that gets tokens when the server requires them.
#[cfg(feature = "oauth")]
fn authorize(
    server: &ServerConfig,
    url: &str,
    settings: &mgp_discovery::config::ServerOAuth,
    tokens: Option<&Path>,
) -> Result<Arc<dyn mgp_transport::http::client::Authorize>, ConfigurationError> {
    use mgp_client_sdk::auth::{OAuth, RegisteredClient, TokenFile};
    use mgp_discovery::config::OAuthGrant;
    let mut oauth = OAuth::builder(url).client_name("mgp").scopes(settings.scopes.iter().cloned());
    if let Some(id) = &settings.client_id {
        let mut client = RegisteredClient::new(id.clone());
        if let Some(secret) = &settings.client_secret {
            client = client.secret(secret.reveal());
        }
        if let Some(issuer) = &settings.issuer {
            client = client.issuer(issuer.clone());
        }
        oauth = oauth.client(client);
    }
    if let Some(document) = &settings.client_metadata {
        oauth = oauth.client_metadata(document);
    }
    if settings.grant == OAuthGrant::ClientCredentials {
        oauth = oauth.client_credentials();
    }
    if let Some(folder) = tokens {
        oauth = oauth.store(TokenFile::in_folder(folder));
    }
    let wrong = |error: mgp_client_sdk::auth::OAuthError| ConfigurationError::Server {
        server: server.id.clone(),
        reason: format!("auth.oauth: {error}"),
    };
    Ok(oauth.build().map_err(wrong)?)
}

#[cfg(all(feature = "http", not(feature = "oauth")))]
fn authorize(
    server: &ServerConfig,
    _: &str,
    _: &mgp_discovery::config::ServerOAuth,
    _: Option<&Path>,
) -> Result<Arc<dyn mgp_transport::http::client::Authorize>, ConfigurationError> {
    let reason = "auth.oauth needs OAuth, which this build does not have".to_owned();
    Err(ConfigurationError::Server { server: server.id.clone(), reason })
}

#[cfg(not(feature = "http"))]
fn http(server: &ServerConfig, _: Option<&Path>) -> Result<Endpoint, ConfigurationError> {
    Err(ConfigurationError::Transport { server: server.id.clone(), transport: "http" })
}

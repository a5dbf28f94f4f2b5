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
    }
}

#[cfg(feature = "child")]
fn child(server: &ServerConfig) -> Result<Endpoint, ConfigurationError> {
    use mgp_discovery::config::Text;
    let program = server.command.as_ref().map_or("", |command| command.value());
    let mut command = mgp_transport::child::ChildCommand::new(&server.id, program)
        .args(server.args.iter().map(Text::value))
        .inherit(server.inherit.iter().cloned());
    for (name, value) in &server.env {
        command = command.env(name, value.reveal());
    }
    if let Some(folder) = &server.cwd {
        command = command.cwd(folder.value());
    }
    Ok(Endpoint::Child(command))
}

#[cfg(not(feature = "child"))]
fn child(server: &ServerConfig) -> Result<Endpoint, ConfigurationError> {
    Err(ConfigurationError::Transport { server: server.id.clone(), transport: "stdio" })
}

#[cfg(feature = "http")]
fn http(server: &ServerConfig, tokens: Option<&Path>) -> Result<Endpoint, ConfigurationError> {
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
        config.bearer = auth.bearer.as_ref().map(|bearer| bearer.reveal().to_owned());
    }
    let url = server.url.as_ref().map_or("", |url| url.value()).to_owned();
    if let Some(oauth) = server.auth.as_ref().and_then(|auth| auth.oauth.as_ref()) {
        config.authorize = Some(authorize(server, &url, oauth, tokens)?);
    }
    Ok(Endpoint::Http { url, config })
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

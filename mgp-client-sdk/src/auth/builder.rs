//! Builds an OAuth client.

use super::{
    OAuth, OAuthError,
    core::Core,
    enterprise::Enterprise,
    registered_client::RegisteredClient,
    secret_source::SecretSource,
    settings::{Grant, Settings},
    state::State,
    store::{TokenMemory, TokenStore},
    user_agent::{BrowserAgent, UserAgent},
};
use mgp_transport::http::{
    fetch::{FetchLimits, Fetcher},
    zone::{Zone, zone_of_host},
};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use url::Url;

/// The time for saving tokens, in addition to the one exchange that is done while the store is held.
const HOLD_MARGIN: Duration = Duration::from_secs(5);

/// A builder of an [`OAuth`] client, made by [`OAuth::builder`].
#[derive(Debug, Clone)]
pub struct OAuthBuilder {
    server: String,
    document: Option<String>,
    settings: Settings,
    limits: FetchLimits,
    private: bool,
    store: Arc<dyn TokenStore>,
}

impl OAuthBuilder {
    pub(super) fn new(server: &str) -> Self {
        Self {
            server: server.to_owned(),
            document: None,
            settings: Settings {
                grant: Grant::User(Arc::new(BrowserAgent::default())),
                client: None,
                document: None,
                register: true,
                client_name: "MGP".to_owned(),
                scopes: Vec::new(),
                offline: true,
                preferred: Vec::new(),
                old_servers: true,
                timeout: Duration::from_secs(300),
                pause: Duration::from_secs(60),
                leeway: Duration::from_secs(30),
            },
            limits: FetchLimits::default(),
            private: false,
            store: Arc::new(TokenMemory::default()),
        }
    }

    /// Sets the agent that asks the user; a [`BrowserAgent`] by default.
    #[must_use]
    pub fn user_agent(mut self, agent: impl UserAgent + 'static) -> Self {
        self.settings.grant = Grant::User(Arc::new(agent));
        self
    }

    /// Asks no user: the client requests tokens on its own behalf (client credentials). Needs a
    /// [`client`](Self::client).
    #[must_use]
    pub fn client_credentials(mut self) -> Self {
        self.settings.grant = Grant::Client;
        self
    }

    /// Asks no user: the enterprise's identity provider vouches for the user. Needs a [`client`](Self::client).
    #[must_use]
    pub fn enterprise(mut self, enterprise: Enterprise) -> Self {
        self.settings.grant = Grant::Enterprise(Arc::new(enterprise));
        self
    }

    /// Asks no user: the platform of this program vouches for it, with assertions of `source` (RFC 7523). Needs a
    /// [`client`](Self::client).
    #[must_use]
    pub fn workload(mut self, source: impl SecretSource + 'static) -> Self {
        self.settings.grant = Grant::Workload(Arc::new(source));
        self
    }

    /// Sets a client that was registered beforehand. It takes precedence over any other, and is only used at its
    /// issuer.
    #[must_use]
    pub fn client(mut self, client: RegisteredClient) -> Self {
        self.settings.client = Some(client);
        self
    }

    /// Sets the URL of the client metadata document, which is the client id at authorization servers that accept such documents.
    #[must_use]
    pub fn client_metadata(mut self, url: &str) -> Self {
        self.document = Some(url.to_owned());
        self
    }

    /// Turns off dynamic client registration (RFC 7591).
    #[must_use]
    pub fn without_registration(mut self) -> Self {
        self.settings.register = false;
        self
    }

    /// Sets the name that users see when they are asked; "MGP" by default.
    #[must_use]
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.settings.client_name = name.into();
        self
    }

    /// Sets the scopes that are always requested, in addition to those that the server requests.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.settings.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Does not request `offline_access`.
    #[must_use]
    pub fn without_offline_access(mut self) -> Self {
        self.settings.offline = false;
        self
    }

    /// Sets the issuers that are preferred if a server names several, in this order; after them come the issuer of the client that
    /// was registered beforehand, the issuer of the stored tokens, and the first one named.
    #[must_use]
    pub fn prefer_issuers<S: Into<String>>(mut self, issuers: impl IntoIterator<Item = S>) -> Self {
        self.settings.preferred = issuers.into_iter().map(Into::into).collect();
        self
    }

    /// Refuses servers without protected resource metadata, which MCP 2025-03-26 did not have.
    #[must_use]
    pub fn without_old_servers(mut self) -> Self {
        self.settings.old_servers = false;
        self
    }

    /// Sets the store that keeps tokens; memory by default.
    #[must_use]
    pub fn store(mut self, store: impl TokenStore + 'static) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Sets the time limit for the user's answer; five minutes by default.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.settings.timeout = limit;
        self
    }

    /// Sets the time after a refusal, or after the same question, in which nobody is asked again; a minute by default.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.settings.pause = pause;
        self
    }

    /// Sets the time before its expiry at which an access token is refreshed; 30 seconds by default.
    #[must_use]
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.settings.leeway = leeway;
        self
    }

    /// Sets the limits of each fetched document.
    #[must_use]
    pub fn limits(mut self, limits: FetchLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Lets a server on the internet name an authorization server in a private network, or on this machine. Behind a proxy of the
    /// environment, a host name that does not resolve on this machine needs this permission too, because the address that the proxy
    /// would resolve cannot be checked here.
    #[must_use]
    pub fn allow_private_addresses(mut self) -> Self {
        self.private = true;
        self
    }

    /// Builds the client.
    ///
    /// # Errors
    /// [`OAuthError::Setting`] for a server URL that is neither https, nor http on this machine; for a client metadata
    /// document that is not https with a path; for a grant that needs a client and has none.
    pub fn build(mut self) -> Result<Arc<OAuth>, OAuthError> {
        let fetch = |source| OAuthError::Fetch { what: "settings of OAuth", source };
        let mut server = url("server URL", &self.server)?;
        server.set_fragment(None);
        let zone = if self.private { Zone::Local } else { zone_of_host(&server).unwrap_or(Zone::Public) };
        let fetcher = Fetcher::new(self.limits, zone).map_err(fetch)?;
        fetcher
            .check(&server)
            .map_err(|error| OAuthError::Setting { name: "server URL", problem: error.to_string() })?;
        self.settings.document = self.document.as_deref().map(document).transpose()?;
        if self.settings.client.is_none() && !matches!(self.settings.grant, Grant::User(_)) {
            return Err(OAuthError::Setting {
                name: "client",
                problem: "expected one, since no user is asked".to_owned(),
            });
        }
        let core = Core {
            server,
            settings: self.settings,
            fetcher,
            store: self.store,
            patience: self.limits.time.saturating_add(HOLD_MARGIN),
            state: Mutex::<State>::default(),
        };
        Ok(Arc::new(OAuth::new(core)))
    }
}

fn url(name: &'static str, text: &str) -> Result<Url, OAuthError> {
    let url = Url::parse(text)
        .map_err(|error| OAuthError::Setting { name, problem: format!("expected a URL: {error}") })?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(OAuthError::Setting { name, problem: "expected one without a user".to_owned() });
    }
    Ok(url)
}

/// Parses the URL of a client metadata document. Servers compare the URL as text, so it must be in normal form.
fn document(text: &str) -> Result<Url, OAuthError> {
    let name = "URL of the client metadata document";
    let url = url(name, text)?;
    if url.scheme() != "https" || url.path() == "/" || url.fragment().is_some() || url.as_str() != text {
        let problem =
            format!("expected https with a path, without fragment and in normal form, found {text:?}");
        return Err(OAuthError::Setting { name, problem });
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_url_is_https_or_loopback_and_names_no_user() {
        for server in ["https://tools.example/mcp", "http://127.0.0.1:1/mcp", "http://localhost/mcp"] {
            assert!(OAuth::builder(server).build().is_ok(), "{server}");
        }
        for server in ["http://tools.example/mcp", "ftp://127.0.0.1/", "mcp", "https://a:b@tools.example/mcp"]
        {
            let error = OAuth::builder(server).build().unwrap_err().to_string();
            assert!(error.contains("server URL"), "{server}: {error}");
        }
    }

    #[test]
    fn a_client_metadata_document_is_https_with_a_path() {
        let check = |url: &str| OAuth::builder("https://x.example").client_metadata(url).build();
        assert!(check("https://app.example/client.json").is_ok());
        for url in [
            "http://app.example/c",
            "https://app.example/",
            "https://app.example/c#x",
            "https://app.example/a/../c",
        ] {
            assert!(check(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_client_is_required_if_no_user_is_asked() {
        let builder = || OAuth::builder("https://x.example").client_credentials();
        assert!(builder().build().unwrap_err().to_string().contains("client"));
        assert!(builder().client(RegisteredClient::new("id").secret("hush")).build().is_ok());
    }
}

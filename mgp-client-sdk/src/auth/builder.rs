//! Puts an OAuth client together.

use super::{
    OAuth, OAuthError,
    core::Core,
    flow::{Enterprise, SecretSource},
    registration::RegisteredClient,
    settings::{Grant, Settings},
    state::State,
    store::{TokenMemory, TokenStore},
    user_agent::{BrowserAgent, UserAgent},
};
use mgp_transport::http::{
    fetch::{FetchLimits, Fetcher},
    zone::{Zone, zone_of_host},
};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use url::Url;

/// Who holds the store does one exchange, and saves.
const HOLD_MARGIN: Duration = Duration::from_secs(5);

/// What an OAuth client is made of. Start with [`OAuth::builder`].
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
                time_limit: Duration::from_secs(300),
                pause: Duration::from_secs(60),
                leeway: Duration::from_secs(30),
            },
            limits: FetchLimits::default(),
            private: false,
            store: Arc::new(TokenMemory::default()),
        }
    }

    /// Who asks the user; a [`BrowserAgent`] otherwise.
    #[must_use]
    pub fn user_agent(mut self, agent: impl UserAgent + 'static) -> Self {
        self.settings.grant = Grant::User(Arc::new(agent));
        self
    }

    /// Asks no user: the client asks for itself (client credentials). It needs [`client`](Self::client).
    #[must_use]
    pub fn client_credentials(mut self) -> Self {
        self.settings.grant = Grant::Client;
        self
    }

    /// Asks no user: the enterprise's identity provider speaks for them. It needs [`client`](Self::client).
    #[must_use]
    pub fn enterprise(mut self, enterprise: Enterprise) -> Self {
        self.settings.grant = Grant::Enterprise(Arc::new(enterprise));
        self
    }

    /// Asks no user: the platform that we run on speaks for us, with assertions of `source` (RFC 7523). It needs
    /// [`client`](Self::client).
    #[must_use]
    pub fn workload(mut self, source: impl SecretSource + 'static) -> Self {
        self.settings.grant = Grant::Workload(Arc::new(source));
        self
    }

    /// A client that was registered beforehand. It is used before any other, at its issuer only.
    #[must_use]
    pub fn client(mut self, client: RegisteredClient) -> Self {
        self.settings.client = Some(client);
        self
    }

    /// The URL of our client metadata document, which is our client id where an authorization server takes such.
    #[must_use]
    pub fn client_metadata(mut self, url: &str) -> Self {
        self.document = Some(url.to_owned());
        self
    }

    /// Registers no client on the way (RFC 7591).
    #[must_use]
    pub fn without_registration(mut self) -> Self {
        self.settings.register = false;
        self
    }

    /// The name that users see where they are asked; "MGP" otherwise.
    #[must_use]
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.settings.client_name = name.into();
        self
    }

    /// Scopes to ask for always, beside those that the server asks for.
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.settings.scopes = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// Does not ask for `offline_access`.
    #[must_use]
    pub fn without_offline_access(mut self) -> Self {
        self.settings.offline = false;
        self
    }

    /// The issuers that are taken where a server names several, in this order; then the one of the client that was registered
    /// beforehand, the one of tokens that are kept, and the first.
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

    /// Where tokens are kept; in memory otherwise.
    #[must_use]
    pub fn store(mut self, store: impl TokenStore + 'static) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// How long the user has to answer; five minutes otherwise.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.settings.time_limit = limit;
        self
    }

    /// How long after a refusal, or after the same question, nobody is asked again; a minute otherwise.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.settings.pause = pause;
        self
    }

    /// How long before its end an access token is refreshed; 30 seconds otherwise.
    #[must_use]
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.settings.leeway = leeway;
        self
    }

    /// The bounds of each document that is fetched.
    #[must_use]
    pub fn limits(mut self, limits: FetchLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Lets a server of the internet name an authorization server in a private network, or on this machine. Behind a proxy of the
    /// environment, a name that cannot be looked up on this machine needs it too: what the proxy would find cannot be judged here.
    #[must_use]
    pub fn allow_private_addresses(mut self) -> Self {
        self.private = true;
        self
    }

    /// Puts it together.
    ///
    /// # Errors
    /// [`OAuthError::Setting`] for a server that is not https, or http on this machine; for a client metadata document that
    /// is not https with a path; for a grant that needs a client and has none.
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

/// The URL of a client metadata document, which is compared as text, so it must be written as it is read.
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
    fn a_server_is_https_or_this_machine_and_names_no_user() {
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
    fn who_asks_no_user_needs_a_client() {
        let builder = || OAuth::builder("https://x.example").client_credentials();
        assert!(builder().build().unwrap_err().to_string().contains("client"));
        assert!(builder().client(RegisteredClient::new("id").secret("hush")).build().is_ok());
    }
}

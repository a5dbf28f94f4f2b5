//! The endpoint of a server.

use mgp_server_sdk::ServerStack;
use mgp_transport::{memory, seam::CallError};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use std::{fmt, pin::Pin, sync::Arc};

/// The advice for a server at a URL that requires credentials and gets none, if a user can log in.
#[cfg(feature = "http")]
const LOG_IN: &str = "; the server wants a token: write `auth.oauth = {}` into its table in the configuration, and a user is asked to log in, \
     or give it a token with `auth.bearer`";

/// The advice for a server at a URL that requires credentials and gets none, if no user can log in.
#[cfg(feature = "http")]
const NO_CREDENTIALS: &str =
    "; the server wants a token: give it one with `auth.bearer` in its table in the configuration";

/// The advice for a server at a URL that rejects its credentials.
#[cfg(feature = "http")]
const WRONG_CREDENTIALS: &str = "; the server does not accept the credentials that `auth` or `headers` of its table in the configuration give";

/// The endpoint of a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Endpoint {
    /// A child process that speaks over its stdin and stdout.
    #[cfg(feature = "child")]
    Child(mgp_transport::child::ChildCommand),
    /// A Streamable HTTP endpoint.
    #[cfg(feature = "http")]
    Http {
        /// The URL of the endpoint.
        url: String,
        /// The configuration of the HTTP client.
        config: mgp_transport::http::client::HttpClientConfig,
    },
    /// An HTTP API, whose operations are the tools.
    #[cfg(feature = "openapi")]
    Api(super::ApiEndpoint),
    /// Commands, which are the tools.
    #[cfg(feature = "child")]
    Commands(super::CommandEndpoint),
    /// A server in this process.
    InProcess(InProcess),
    /// No endpoint: the server's settings cannot be used for this reason, and every attempt to connect fails.
    Unusable(String),
}

#[cfg(feature = "child")]
impl From<mgp_transport::child::ChildCommand> for Endpoint {
    fn from(command: mgp_transport::child::ChildCommand) -> Self {
        Self::Child(command)
    }
}

impl From<InProcess> for Endpoint {
    fn from(server: InProcess) -> Self {
        Self::InProcess(server)
    }
}

impl From<ServerStack> for Endpoint {
    fn from(stack: ServerStack) -> Self {
        InProcess::new(move || stack.in_process()).into()
    }
}

impl Endpoint {
    /// Returns a digest of the command or URL. Environment variables and headers are left out, because they may be secrets.
    pub(crate) fn digest(&self) -> String {
        let parts: Vec<String> = match self {
            #[cfg(feature = "child")]
            Self::Child(command) => {
                let folder = command.working_directory().map(|folder| folder.display().to_string());
                let line =
                    [command.program().to_owned()].into_iter().chain(command.arguments().iter().cloned());
                line.chain(folder).collect()
            }
            #[cfg(feature = "http")]
            Self::Http { url, .. } => vec![url.clone()],
            #[cfg(feature = "openapi")]
            Self::Api(api) => {
                [Some(api.document.to_string()), api.base_url.clone()].into_iter().flatten().collect()
            }
            #[cfg(feature = "child")]
            Self::Commands(commands) => {
                let words = |command: &super::CommandSpec| {
                    command.tool.argv.iter().map(|word| word.value().to_owned()).collect::<Vec<_>>()
                };
                commands.commands.iter().flat_map(words).collect()
            }
            Self::InProcess(_) | Self::Unusable(_) => Vec::new(),
        };
        let mut digest = PartsDigest::default();
        parts.iter().for_each(|part| digest.part(part));
        digest.finish()
    }

    /// Returns whether the kernel starts the server: a child process, or a server in this process. A server at a URL is run by somebody
    /// else.
    pub(super) const fn is_own(&self) -> bool {
        !self.is_http()
    }

    /// Returns the reason why the server's settings cannot be used, if there is one.
    pub(crate) fn fault(&self) -> Option<&str> {
        match self {
            Self::Unusable(fault) => Some(fault),
            _ => None,
        }
    }

    /// Returns whether the server is reached at a URL, over HTTP.
    pub(crate) const fn is_http(&self) -> bool {
        #[cfg(feature = "http")]
        return matches!(self, Self::Http { .. });
        #[cfg(not(feature = "http"))]
        false
    }

    /// Returns whether a 403 response may be temporary: at a URL it may come from a restarting proxy. With OAuth, the client has already
    /// requested the missing rights, and would ask the user again.
    pub(super) const fn may_be_forbidden_for_a_while(&self) -> bool {
        #[cfg(feature = "http")]
        return matches!(self, Self::Http { config, .. } if config.authorize.is_none());
        #[cfg(not(feature = "http"))]
        false
    }

    /// Returns the advice for an error of a server at a URL that requires other credentials, with the settings for them. Empty for any other
    /// error, and for servers with OAuth, whose errors are more specific.
    pub(super) fn advice(&self, error: &CallError) -> &'static str {
        #[cfg(feature = "http")]
        if let Self::Http { url, config } = self
            && let CallError::Peer(error) = error
            && error.code == i64::from(mgp_types::error::ErrorCode::AuthRequired)
            && config.authorize.is_none()
        {
            let has_some = config.bearer.is_some() || !config.headers.is_empty();
            return match has_some {
                true => WRONG_CREDENTIALS,
                false if takes_oauth(url) => LOG_IN,
                false => NO_CREDENTIALS,
            };
        }
        #[cfg(not(feature = "http"))]
        let _ = error;
        ""
    }
}

/// Returns whether a user can log in to a server with OAuth. At a plain `http` URL of another machine, tokens would be readable in transit.
#[cfg(feature = "http")]
fn takes_oauth(url: &str) -> bool {
    #[cfg(feature = "oauth")]
    return mgp_client_sdk::auth::OAuth::builder(url).build().is_ok();
    #[cfg(not(feature = "oauth"))]
    {
        let _ = url;
        false
    }
}

/// The SHA-256 of a list of texts. Each is preceded by its length, so that different lists have different digests.
#[derive(Default)]
pub(super) struct PartsDigest(Sha256);

impl PartsDigest {
    /// Adds a text to the list.
    pub(super) fn part(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
    }

    /// Returns the digest in hexadecimal digits.
    pub(super) fn finish(self) -> String {
        mgp_types::hex::encode(self.0.finalize())
    }
}

type EndpointFuture = Pin<Box<dyn Future<Output = Result<Endpoint, String>> + Send>>;

/// A function that derives the endpoint of a server again at each start, because its settings name secrets.
#[derive(Clone)]
pub(crate) struct EndpointAtStart {
    derive: Arc<dyn Fn() -> EndpointFuture + Send + Sync>,
    /// The reason why the last attempt failed, for hosts.
    fault: Arc<Mutex<Option<String>>>,
}

impl EndpointAtStart {
    pub(crate) fn new<F: Future<Output = Result<Endpoint, String>> + Send + 'static>(
        derive: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self {
        Self { derive: Arc::new(move || Box::pin(derive())), fault: Arc::default() }
    }

    /// Reads the secrets, and returns the endpoint with them.
    pub(super) async fn derive(&self) -> Result<Endpoint, String> {
        let derived = (self.derive)().await;
        *self.fault.lock() = derived.as_ref().err().cloned();
        derived
    }

    /// Returns the reason why the secrets could not be read at the last attempt.
    pub(crate) fn fault(&self) -> Option<String> {
        self.fault.lock().clone()
    }
}

impl fmt::Debug for EndpointAtStart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EndpointAtStart")
    }
}

/// A server in this process. Each connection to it is a new pair of in-memory byte streams.
#[derive(Clone)]
pub struct InProcess(Arc<dyn Fn() -> memory::End + Send + Sync>);

impl InProcess {
    /// Creates a server in this process. `connect` starts the server on one end of a pair of byte streams, and returns the other end.
    pub fn new(connect: impl Fn() -> memory::End + Send + Sync + 'static) -> Self {
        Self(Arc::new(connect))
    }

    /// Starts the server on a new connection, and returns the other end.
    #[must_use]
    pub fn connect(&self) -> memory::End {
        (self.0)()
    }
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InProcess")
    }
}

#[cfg(all(test, feature = "oauth"))]
mod tests {
    use super::*;
    use mgp_transport::http::client::HttpClientConfig;
    use mgp_types::error::ErrorCode;

    #[tokio::test]
    async fn a_login_is_advised_only_if_a_user_can_log_in() {
        for (url, takes_login) in [
            ("https://tools.example/mcp", true),
            ("http://127.0.0.1:1/mcp", true),
            ("http://10.0.0.5/mcp", false),
            ("http://tools.example/mcp", false),
        ] {
            let endpoint = Endpoint::Http { url: url.to_owned(), config: HttpClientConfig::default() };
            let advice = endpoint.advice(&CallError::Peer(ErrorCode::AuthRequired.error("HTTP 401")));
            assert!(advice.contains("`auth.bearer`"), "{url}: {advice}");
            assert_eq!(advice.contains("`auth.oauth = {}`"), takes_login, "{url}: {advice}");
        }
    }
}

//! The errors of authorization.

use super::{store::StoreError, user_agent::UserAgentError};
use http::StatusCode;
use mgp_transport::http::fetch::DocumentError;
use mgp_types::printable::on_one_line;
use std::time::Duration;

/// The error of an authorization without a token: the failed step, its place, and the expectation. It contains no secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthError {
    /// A setting is invalid.
    #[error("invalid {name}: {problem}")]
    Setting {
        /// The name of the setting.
        name: &'static str,
        /// The problem with its value, and what was expected.
        problem: String,
    },
    /// Something could not be fetched.
    #[error("failed to fetch the {what}: {source}")]
    Fetch {
        /// The thing that was requested, such as a kind of metadata.
        what: &'static str,
        /// The reason for the failure.
        source: DocumentError,
    },
    /// The response does not have a success status.
    #[error("expected the {what} at {url}, found HTTP {status}")]
    Status {
        /// The thing that was requested, such as a kind of metadata.
        what: &'static str,
        /// The URL that was requested.
        url: String,
        /// The HTTP status of the response.
        status: StatusCode,
    },
    /// The response cannot be understood.
    #[error("cannot use the {what} at {url}: {problem}")]
    Content {
        /// The thing that was requested, such as a kind of metadata.
        what: &'static str,
        /// The URL that was requested.
        url: String,
        /// The problem with the response.
        problem: String,
    },
    /// The metadata of a protected resource is about another resource.
    #[error(
        "the protected resource metadata at {url} is of {found:?}, expected a resource that {server} belongs to"
    )]
    Resource {
        /// The URL of the metadata.
        url: String,
        /// The resource that it names.
        found: String,
        /// The server.
        server: String,
    },
    /// The metadata of an authorization server belongs to another issuer.
    #[error(
        "the authorization server metadata at {url} is of the issuer {found:?}, expected {expected:?}, or endpoints on the host of that issuer"
    )]
    Issuer {
        /// The URL of the metadata.
        url: String,
        /// The issuer that it names.
        found: String,
        /// The issuer whose metadata was looked up.
        expected: String,
    },
    /// No metadata of an authorization server is published at the required URLs.
    #[error("the authorization server {issuer} publishes no metadata: expected some at one of {tried}")]
    NoMetadata {
        /// The issuer.
        issuer: String,
        /// The URLs that were tried.
        tried: String,
    },
    /// The authorization server does not support a required feature.
    #[error("the authorization server {issuer} does not offer {what}: {problem}")]
    Unsupported {
        /// The issuer.
        issuer: String,
        /// The required feature.
        what: &'static str,
        /// The problem, such as the features that the server offers instead.
        problem: String,
    },
    /// No client id is available for the authorization server.
    #[error("there is no client id for the authorization server {issuer}: {problem}")]
    NoClient {
        /// The issuer.
        issuer: String,
        /// The reason why none is available.
        problem: String,
    },
    /// The browser's redirect has an untrusted answer.
    #[error("the authorization server's redirect is refused: {0}")]
    Redirect(String),
    /// The authorization server refused.
    #[error("{what} was refused by {by}: {error}{}", describe(description))]
    Refused {
        /// The refused request.
        what: &'static str,
        /// The issuer or token endpoint that refused.
        by: String,
        /// The error code.
        error: String,
        /// The description that came with the error code, truncated and without control characters.
        description: String,
    },
    /// The user could not be asked, or did not answer.
    #[error("failed to ask the user: {0}")]
    UserAgent(#[from] UserAgentError),
    /// The user did not answer in time.
    #[error("the user did not authorize within {0:?}")]
    Timeout(Duration),
    /// Tokens could not be saved or read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// An assertion could not be obtained or signed.
    #[error("failed to make an assertion: {0}")]
    Assertion(String),
    /// The operating system provides no randomness.
    #[error("no randomness from the operating system: {0}")]
    Random(String),
    /// The task of the authorization ended early.
    #[error("the authorization ended before it was done")]
    Ended,
}

impl OAuthError {
    /// Returns `true` if the server refused for good: the same request would be refused again.
    pub(super) fn is_refusal(&self) -> bool {
        self.code().is_some_and(|code| !PASSING.contains(&code))
    }

    /// Returns the error code of a refusal.
    pub(super) fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// The error codes of a temporary state of the server.
const PASSING: [&str; 3] = ["temporarily_unavailable", "server_error", "slow_down"];

fn describe(description: &str) -> String {
    if description.is_empty() { String::new() } else { format!(": {description}") }
}

/// The maximum length of a server's text in an error, in characters.
const SHOWN: usize = 300;

/// Returns a server's text in a form for errors: truncated, and on one line.
pub(super) fn shown(text: &str) -> String {
    on_one_line(&text.chars().take(SHOWN).collect::<String>())
}

//! Why there is no token.

use super::{store::StoreError, user_agent::UserAgentError};
use http::StatusCode;
use mgp_transport::http::fetch::DocumentError;
use std::time::Duration;

/// Why there is no token: which step failed, where, and what was expected. Nothing of it is a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthError {
    /// A setting is not right.
    #[error("invalid {name}: {problem}")]
    Setting {
        /// Which one.
        name: &'static str,
        /// What is wrong with it, and what was expected.
        problem: String,
    },
    /// Something could not be fetched.
    #[error("failed to fetch the {what}: {source}")]
    Fetch {
        /// What was wanted.
        what: &'static str,
        /// Why it is not there.
        source: DocumentError,
    },
    /// The answer is no success.
    #[error("expected the {what} at {url}, found HTTP {status}")]
    Status {
        /// What was wanted.
        what: &'static str,
        /// Where.
        url: String,
        /// What was answered.
        status: StatusCode,
    },
    /// The answer cannot be understood.
    #[error("cannot use the {what} at {url}: {problem}")]
    Content {
        /// What was wanted.
        what: &'static str,
        /// Where.
        url: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The metadata of a protected resource speaks of another one.
    #[error(
        "the protected resource metadata at {url} is of {found:?}, expected a resource that {server} belongs to"
    )]
    Resource {
        /// Where it was found.
        url: String,
        /// The resource that it names.
        found: String,
        /// The server.
        server: String,
    },
    /// The metadata of an authorization server is another one's.
    #[error("the authorization server metadata at {url} is of the issuer {found:?}, expected {expected:?}")]
    Issuer {
        /// Where it was found.
        url: String,
        /// The issuer that it names.
        found: String,
        /// The issuer that it was looked up for.
        expected: String,
    },
    /// No metadata of an authorization server is where it has to be.
    #[error("the authorization server {issuer} publishes no metadata: expected some at one of {tried}")]
    NoMetadata {
        /// The issuer.
        issuer: String,
        /// Where it was looked for.
        tried: String,
    },
    /// The authorization server cannot do what is needed.
    #[error("the authorization server {issuer} does not offer {what}: {problem}")]
    Unsupported {
        /// The issuer.
        issuer: String,
        /// What is needed.
        what: &'static str,
        /// What it offers in its place.
        problem: String,
    },
    /// No client id can be had at the authorization server.
    #[error("there is no client id for the authorization server {issuer}: {problem}")]
    NoClient {
        /// The issuer.
        issuer: String,
        /// What was tried.
        problem: String,
    },
    /// The browser came back with an answer that cannot be trusted.
    #[error("the authorization server's redirect is refused: {0}")]
    Redirect(String),
    /// The authorization server said no.
    #[error("{what} was refused by {by}: {error}{}", describe(description))]
    Refused {
        /// What was asked for.
        what: &'static str,
        /// Whom.
        by: String,
        /// The error code.
        error: String,
        /// What was said beside it, cut and without control characters.
        description: String,
    },
    /// The user could not be asked, or did not answer.
    #[error("failed to ask the user: {0}")]
    UserAgent(#[from] UserAgentError),
    /// The user did not answer in time.
    #[error("the user did not authorize within {0:?}")]
    TimeLimit(Duration),
    /// Tokens could not be kept or read.
    #[error("{0}")]
    Store(#[from] StoreError),
    /// An assertion could not be had or signed.
    #[error("failed to make an assertion: {0}")]
    Assertion(String),
    /// The operating system gives no randomness.
    #[error("no randomness from the operating system: {0}")]
    Random(String),
    /// The task that authorized ended early.
    #[error("the authorization ended before it was done")]
    Ended,
}

impl OAuthError {
    /// Whether the server refused for good, so that asking again in the same way is of no use.
    pub(super) fn is_refusal(&self) -> bool {
        self.code().is_some_and(|code| !PASSING.contains(&code))
    }

    /// The error code of a refusal.
    pub(super) fn code(&self) -> Option<&str> {
        match self {
            Self::Refused { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// The codes of servers that may well answer otherwise soon.
const PASSING: [&str; 3] = ["temporarily_unavailable", "server_error", "slow_down"];

fn describe(description: &str) -> String {
    if description.is_empty() { String::new() } else { format!(": {description}") }
}

/// The longest text of a server that is told on.
const SHOWN: usize = 300;

/// A server's text as it may be shown: short, and on one line.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

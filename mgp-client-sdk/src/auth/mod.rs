//! Authorization toward MCP servers over HTTP, as an OAuth client.
//!
//! [`OAuth`] is passed to an HTTP client by [`HttpClientConfig::authorize`](crate::HttpClientConfig). It finds the authorization
//! server of a server that responds with 401, gets a token, stores and refreshes it, and requests more scopes if a server
//! requires them.
//!
//! | module | content |
//! |---|---|
//! | `discovery` | finds the authorization server of a server: RFC 9728, RFC 8414, OpenID Connect, MCP 2025-03-26 |
//! | `registration` | chooses the client id: settings, a metadata document, RFC 7591 |
//! | `flow` | the grants: a user's code with PKCE, the client's own, the enterprise's, a workload's; refreshing |
//! | `dpop` | proofs of possession of the key that a token is bound to: RFC 9449 |
//! | `token` | requests to token endpoints, and the client's authentication to them |
//! | `user_agent` | the user's part: a browser, a printed URL, nobody |
//! | `store` | stores of tokens: memory, and a file |

mod builder;
mod clock;
mod core;
mod discovery;
mod dpop;
mod enterprise;
mod error;
mod flight;
mod flow;
mod oauth;
mod random;
mod registered_client;
mod registration;
mod scope;
mod secret;
mod secret_source;
mod settings;
mod signing_key;
mod state;
mod store;
mod token;
mod user_agent;

pub use mgp_types::oauth::SignatureAlgorithm;

pub use builder::OAuthBuilder;
pub use enterprise::Enterprise;
pub use error::OAuthError;
pub use oauth::OAuth;
pub use registered_client::RegisteredClient;
pub use secret::Secret;
pub use secret_source::SecretSource;
pub use signing_key::SigningKey;
pub use store::{
    AuthMethod, Binding, ClientOrigin, KeptClient, KeptGrant, StoreError, StoreHold, TokenFile, TokenMemory,
    TokenStore, Tokens,
};
pub use user_agent::{BrowserAgent, HeadlessAgent, Listen, PrintedAgent, UserAgent, UserAgentError, Visit};

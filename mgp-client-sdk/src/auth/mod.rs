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
//! | `token` | requests to token endpoints, and the client's authentication to them |
//! | `user_agent` | the user's part: a browser, a printed URL, nobody |
//! | `store` | stores of tokens: memory, and a file |

mod builder;
mod clock;
mod core;
mod discovery;
mod error;
mod flight;
mod flow;
mod oauth;
mod random;
mod registration;
mod scope;
mod secret;
mod settings;
mod state;
mod store;
mod token;
mod user_agent;

pub use mgp_types::oauth::SignatureAlgorithm;

pub use builder::OAuthBuilder;
pub use error::OAuthError;
pub use flow::{Enterprise, SecretSource};
pub use oauth::OAuth;
pub use registration::RegisteredClient;
pub use secret::Secret;
pub use store::{
    AuthMethod, Binding, ClientOrigin, KeptClient, KeptGrant, StoreError, StoreHold, TokenFile, TokenMemory,
    TokenStore, Tokens,
};
pub use token::SigningKey;
pub use user_agent::{BrowserAgent, HeadlessAgent, Listen, PrintedAgent, UserAgent, UserAgentError, Visit};

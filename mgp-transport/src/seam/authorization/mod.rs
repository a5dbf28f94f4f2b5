//! The authorization of requests with credentials from a third party, such as an OAuth authorization server.
//!
//! [`Authenticate`] verifies the credentials. The HTTP server calls it before it reads anything else of a request. The result, a
//! [`TokenGrant`], is put into the context of the request's message.

mod authenticate;
mod authentication;
mod credential_error;
mod key_ring;
mod metadata;
mod scopes;

pub use authenticate::{Authenticate, RequestLine};
pub use authentication::{Authentication, TokenGrant};
pub use credential_error::CredentialError;
pub use key_ring::KeyRing;
pub use metadata::ResourceMetadata;
pub use scopes::{Scopes, is_scope};

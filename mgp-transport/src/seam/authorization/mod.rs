//! The authorization of requests with credentials from a third party, such as an OAuth authorization server.
//!
//! [`Authenticate`] judges the credentials: the HTTP server calls it before it looks at anything else of a request, and puts the
//! result, a [`Granted`], into the context of the request's message.

mod authenticate;
mod denied;
mod granted;
mod metadata;
mod scopes;

pub use authenticate::Authenticate;
pub use denied::Denied;
pub use granted::{Authenticated, Granted};
pub use metadata::ResourceMetadata;
pub use scopes::{Scopes, is_scope};

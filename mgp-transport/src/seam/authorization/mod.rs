//! Who a request is made for where its credentials come from somebody else, such as an OAuth authorization server.
//!
//! [`Authenticate`] judges the credentials; the HTTP server asks it before it looks at anything else of a request, and
//! puts what came of it, a [`Granted`], into the context of the request's message.

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

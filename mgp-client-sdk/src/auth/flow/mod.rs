//! The grants, one in each file.

mod client_credentials;
mod code;
mod enterprise;
mod grant;
mod pkce;
mod redirect;
mod refresh;
mod source;
mod workload;

pub use enterprise::Enterprise;
pub use source::SecretSource;

pub(super) use grant::{GrantContext, GrantedTokens};
pub(super) use refresh::refresh;

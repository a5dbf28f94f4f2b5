//! The grants, one in each file.

mod client_credentials;
mod code;
mod enterprise;
mod grant;
mod pkce;
mod redirect;
mod refresh;
mod workload;

pub(super) use grant::{GrantContext, GrantedTokens};
pub(super) use refresh::refresh;

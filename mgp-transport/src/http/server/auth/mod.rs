//! The callers of a server: their credentials and their principals, and the pages in browsers that may use the server.
//!
//! Every request passes the gate (`gate.rs`) first. The rights of a token are checked for each message (`authorize.rs`).

mod ambiguity;
mod api_key;
mod authority;
mod authorize;
mod challenge;
mod cors;
pub(super) mod gate;
pub(super) mod metadata;
mod origin;
mod resource;
pub(super) mod until;

pub(super) use ambiguity::two_lengths;
pub(super) use api_key::random_hex;
pub use api_key::{ApiKey, InvalidApiKey};
pub(super) use authority::Authority;
pub(super) use gate::Gate;
pub(super) use origin::Origins;
pub(super) use resource::WELL_KNOWN;
pub use resource::{InvalidResourceUrl, ResourceUrl};

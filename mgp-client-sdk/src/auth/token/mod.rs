//! Requests to the token endpoint of an authorization server.

mod assertion;
mod request;
mod response;
mod signing_key;

pub use signing_key::SigningKey;

pub(super) use request::{TokenRequest, form};
pub(super) use response::TokenResponse;

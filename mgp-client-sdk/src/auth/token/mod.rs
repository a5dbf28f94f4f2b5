//! Requests to the token endpoint of an authorization server.

mod assertion;
mod request;
mod response;

pub(super) use request::{TokenRequest, form};
pub(super) use response::TokenResponse;

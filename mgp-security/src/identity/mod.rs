//! The identity of the caller, which is bound to the authenticated session, never to a field of the request.

mod delegation;
mod layer;
#[cfg(feature = "oauth")]
pub mod oauth;
mod service;

pub use delegation::MAX_DELEGATION;
pub use layer::IdentityLayer;
pub use service::Identity;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

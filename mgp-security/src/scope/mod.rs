//! The gate of scopes: checks the scopes of a caller's token once a tool's name is resolved.
//!
//! The HTTP server checks the scopes of a method and of a tool's name when it receives a message. A kernel's tools have
//! more than one name, so this gate checks the others too.

mod judge;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

pub use judge::Scope;

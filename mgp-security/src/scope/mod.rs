//! The gate of scopes: checks the scopes of a caller's token once a tool's name is resolved.
//!
//! [`KeyScope`] is the gate of the scopes of API keys.
//!
//! The HTTP server checks the scopes of a method and of a tool's name before a message comes in. A kernel's tools have
//! more than one name, so this gate checks the others too.

mod judge;
mod key_scope;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

pub use judge::Scope;
pub use key_scope::{InvalidToolScope, KeyScope, MAX_SCOPES, ToolScope};

//! The scopes of API keys, which narrow what a caller may use of what its agent may.
//!
//! A list shows what both allow; a call that the agent may make and the key may not is refused by the gate [`KeyScope`], which says so.

mod abilities;
mod judge;
mod tool_scope;
mod tool_scopes;

pub use abilities::Abilities;
pub use judge::KeyScope;
pub use tool_scope::{InvalidToolScope, ToolScope};
pub(super) use tool_scopes::ToolScopes;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

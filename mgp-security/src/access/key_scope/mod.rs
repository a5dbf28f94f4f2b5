//! The scopes of API keys, which narrow what a caller may use.
//!
//! A list shows the tools that both the agent's rights and the key's scopes allow. The gate [`KeyScope`] refuses a call that the agent may
//! make but the key does not allow.

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

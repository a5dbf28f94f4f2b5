//! The persons who use the console.

use async_trait::async_trait;
pub use mgp_types::lifecycle::OperatorRole;
use std::fmt;

/// A person who has signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The name under which the audit trail records the operator's decisions and changes.
    pub name: String,
    /// The rights.
    pub role: OperatorRole,
}

/// The keys and access tokens with which operators sign in over the network.
#[async_trait]
pub trait OperatorKeys: fmt::Debug + Send + Sync + 'static {
    /// Returns the operator who has a key or a token; `None` if it is unknown, has expired, or does not open the console.
    async fn operator(&self, key: &str) -> Option<KeyedOperator>;

    /// Returns whether access tokens are accepted, too.
    fn takes_tokens(&self) -> bool {
        false
    }
}

/// An operator who has signed in with a key or a token.
pub struct KeyedOperator {
    /// The operator.
    pub operator: Operator,
    /// Returns whether the key or the token still gives these rights. Asked for each request; the session ends when it returns `false`.
    pub holds: Box<dyn Fn() -> bool + Send + Sync>,
}

impl fmt::Debug for KeyedOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedOperator").field("operator", &self.operator).finish_non_exhaustive()
    }
}

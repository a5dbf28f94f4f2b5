//! The persons who use the console.

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

/// The keys with which operators sign in over the network.
pub trait OperatorKeys: fmt::Debug + Send + Sync + 'static {
    /// Returns the operator who has a key; `None` if the key is unknown, has expired, or does not open the console.
    fn operator(&self, key: &str) -> Option<KeyedOperator>;
}

/// An operator who has signed in with a key.
pub struct KeyedOperator {
    /// The operator.
    pub operator: Operator,
    /// Returns whether the key still gives these rights. Asked for each request; the session ends when it returns `false`.
    pub holds: Box<dyn Fn() -> bool + Send + Sync>,
}

impl fmt::Debug for KeyedOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedOperator").field("operator", &self.operator).finish_non_exhaustive()
    }
}

//! §5 Access control: which agent may use which tool of which server.
//!
//! [`AccessControl`] answers from a snapshot in memory, and is the gate in the pipeline; an [`AccessStore`] keeps the
//! rules. [`AccessMethods`] answers `mgp/access/*`. The names in rules may be patterns, and agents may share rules by
//! [roles](AccessControl::set_roles). Where no rule decides, an [`AccessPolicy`] may.

#[cfg(feature = "cedar")]
mod cedar;
mod control;
mod entry;
mod explain;
mod judge;
mod judgement;
mod key_scope;
mod methods;
mod policy;
mod rule;
mod rule_set;
mod snapshot;
#[cfg(feature = "sqlite")]
mod sql;
mod store;
mod unreadable;
mod visibility;

#[cfg(feature = "cedar")]
pub use cedar::{CedarError, CedarPolicies, CedarProblem};
pub use control::AccessControl;
pub use explain::{ExplainedRule, Explanation, RuleStanding};
pub use judgement::{AccessDenial, Judgement};
pub use key_scope::{Abilities, InvalidToolScope, KeyScope, ToolScope};
pub use methods::AccessMethods;
#[cfg(feature = "sqlite")]
pub use mgp_store::sql::SqlStore;
pub use policy::{AccessPolicy, AccessRequest, CallArguments, PolicyDecision, RequestedTool, ToolProfiles};
#[cfg(feature = "sqlite")]
pub use sql::SqlAccessStore;
pub use store::{AccessKey, AccessStore};
pub use unreadable::UnreadableRule;

pub use crate::stored_rows::StoredRows;
pub use mgp_store::StoreError;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_establish;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_outages;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_patterns;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_roles;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_sessions;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_sqlite;

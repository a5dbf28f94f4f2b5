//! Quotas: units a day for each agent, API key, server and tool. Days are in UTC.
//!
//! [`Quotas`] keeps the rules, and a [`QuotaStore`] the used units, which several kernels may share. [`QuotaCheck`] is a gate that refuses
//! a call whose quota is used up before anybody is asked to approve it. [`QuotaSpendingLayer`], directly before dispatch, spends the call's
//! units from all of its quotas, or from none, and gives them back if the call reaches no server.
//! [`rule_usage`] returns the used units of each rule.

mod day;
mod judge;
mod layer;
mod quotas;
mod refusal;
mod service;
#[cfg(feature = "sqlite")]
mod sql;
mod store;
mod usage;

pub use day::QuotaDay;
pub use judge::QuotaCheck;
pub use layer::QuotaSpendingLayer;
#[cfg(feature = "sqlite")]
pub use mgp_store::sql::SqlStore;
pub use quotas::{CostRule, Quotas};
pub use service::QuotaSpending;
#[cfg(feature = "sqlite")]
pub use sql::SqlQuotaStore;
pub use store::{KEPT_DAYS, MAX_QUOTAS, QuotaKey, QuotaShare, QuotaStore, SpendOutcome};
pub use usage::{RuleUsage, UsedQuota, rule_usage};

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_unsent_calls;

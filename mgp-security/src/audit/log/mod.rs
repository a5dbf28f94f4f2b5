//! The audit trail in SQLite: one writer thread stores events in groups, a caller may store a single event itself, and queries and
//! checkpoints run alongside.

mod chain;
mod checkpoints;
mod config;
mod connections;
mod file;
mod filter;
mod handle;
mod health;
#[cfg(test)]
#[cfg(feature = "full")]
mod journal;
mod notes;
mod page;
mod reader;
mod receivers;
mod retention;
mod row;
mod schema;
mod verify;
mod writer;

pub use config::{AuditLogConfig, Durability};
pub use filter::AuditFilter;
pub use handle::AuditLog;
pub use page::{AuditPage, AuditPosition};
pub use receivers::ForwardingTurn;
pub use retention::AuditRetention;
pub use verify::{AuditHead, AuditProblem, AuditVerification};

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_outages;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_retention;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_verify;

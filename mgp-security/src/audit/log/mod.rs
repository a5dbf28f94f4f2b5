//! The audit trail: events are stored in a journal of their process, and a thread moves them into an SQLite file in groups. Queries and
//! checkpoints of that file run alongside. With a database, a task copies the events there.

mod chain;
mod checkpoints;
mod config;
mod connections;
mod copier;
mod count;
mod database;
mod failure;
mod file;
mod filter;
mod handle;
mod health;
mod journal;
mod notes;
mod ordered;
mod page;
mod read;
mod reader;
mod receivers;
mod retention;
mod row;
mod schema;
mod transfer;
mod uncopied;
mod verify;
mod writer;

pub use config::{AuditLogConfig, Durability, JournalMode};
pub use copier::Confirmation;
pub use count::{AuditCountQuery, AuditCounts, CountBy, CountedGroup, CountedSpan, EventCounts};
pub use database::{AuditDatabase, TrailFault, TrailVerification};
pub use filter::{AuditFilter, EventPlace};
pub use handle::AuditLog;
pub use page::{AuditPage, AuditPosition};
pub use read::AuditReader;
pub use receivers::ForwardingTurn;
pub use retention::AuditRetention;
pub use transfer::TrailCopy;
pub use verify::{AuditHead, AuditProblem, AuditVerification};

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_journals;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_outages;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_retention;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_verify;

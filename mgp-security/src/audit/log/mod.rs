//! The audit trail in SQLite: one writer thread that stores events in groups, callers that store the one event that comes alone, and
//! queries beside it.

mod config;
mod filter;
mod handle;
mod reader;
mod row;
mod schema;
mod writer;

pub use config::{AuditLogConfig, Durability};
pub use filter::AuditFilter;
pub use handle::AuditLog;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

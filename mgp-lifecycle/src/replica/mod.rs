//! The replicas of a server that share a database of PostgreSQL, and the sessions of each.
//!
//! | file | contents |
//! |---|---|
//! | `report.rs` | the reports of replicas on themselves |
//! | `schema.rs` | the tables |
//! | `store.rs` | the store |

mod report;
mod schema;
mod store;
#[cfg(test)]
mod tests;

pub use report::{MAX_REPLICA_REPORT, ReplicaReport};
pub use store::SqlReplicaStore;

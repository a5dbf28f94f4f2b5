//! The replicas of a server that share a database of PostgreSQL, and the sessions of each.
//!
//! | file | contents |
//! |---|---|
//! | `schema.rs` | the tables |
//! | `store.rs` | the store |

mod schema;
mod store;
#[cfg(test)]
mod tests;

pub use store::SqlReplicaStore;

//! The network between replicas: HTTPS on addresses of their own, with certificates that only replicas have.
//!
//! | file | contents |
//! |---|---|
//! | `network.rs` | the listener of a replica, and its start |
//! | `certificates.rs` | the authority of all replicas, and the certificate of one |
//! | `client.rs` | the connections to other replicas |
//! | `hop.rs` | the headers that belong to one connection |

mod certificates;
mod client;
mod error;
mod hop;
mod network;
#[cfg(test)]
mod tests;

pub use error::ReplicaNetworkError;
pub use network::{ReplicaNetwork, RunningReplicaNetwork};

//! Replicas: several servers that share a store, behind a balancer without stickiness.
//!
//! A session lives in one replica. A request for it that reaches another replica is forwarded to its owner, over the replicas' own addresses.
//! If the owner is gone, the replica that got the request takes the session over. `forwarding` makes these decisions.
//!
//! | file | contents |
//! |---|---|
//! | `replicas.rs` | the state of this replica: its entry, and the places of sessions as read last |
//! | `record.rs` | the record of a session in the store |
//! | `forward.rs` | the seam to the network between replicas |

mod forward;
mod record;
#[allow(clippy::module_inception, reason = "the module is named for what it holds")]
mod replicas;

pub use forward::{ForwardError, ForwardToReplica, ReplicaTarget};
pub(super) use record::{ReplicatedSession, principal_text};
pub(super) use replicas::{LocalSessions, Replicas, key_of, unavailable};

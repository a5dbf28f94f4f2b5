//! Replicas: several servers that share a store, behind a balancer without stickiness.
//!
//! A session lives in one replica. A request for it that reaches another replica is forwarded to its owner, over the replicas' own addresses.
//! If the owner is gone, the replica that got the request takes the session over.
//!
//! | file | contents |
//! |---|---|
//! | `route.rs` | the choice of the replica that handles a request |
//! | `replicas.rs` | the state of this replica: its entry, and the places of sessions as read last |
//! | `keep.rs` | the record of a session in the store |
//! | `named_session.rs` | the session that a request names |
//! | `forward.rs` | the seam to the network between replicas |
//! | `relay.rs` | the response of another replica |
//! | `parked.rs` | requests of the stateless era that continue a call |
//! | `take_over.rs` | the restoration of a session whose owner is gone |

mod forward;
mod keep;
mod named_session;
mod parked;
mod relay;
#[allow(clippy::module_inception, reason = "the module is named for what it holds")]
mod replicas;
mod route;
mod take_over;

pub use forward::{ForwardError, ForwardToReplica, ReplicaTarget};
pub(super) use forward::{ForwardedMark, is_forwarded};
pub(super) use keep::ReplicatedSession;
pub(super) use named_session::{SESSION_PARAMETER, secret_in};
pub(super) use parked::forward_parked;
pub(super) use replicas::Replicas;
pub(super) use route::route;

//! The features of the kernel, each with its methods, and most with a layer or settings. No feature imports another one. They share:
//!
//! | file | content |
//! |---|---|
//! | `forward.rs` | forwards a host's request to its server, and records it |
//! | `instances/` | the processes of servers that have one for each session of a host |
//! | `own_resources.rs` | the traits of resources that a feature has itself |
//! | `server_set.rs` | the servers as a set that features add to and remove from |

pub(crate) mod announce;
pub(crate) mod audit_forwarding;
pub(crate) mod completion;
#[cfg(feature = "child")]
pub(crate) mod creation;
pub(crate) mod events;
pub(crate) mod forward;
pub(crate) mod instances;
pub(crate) mod manifest;
pub(crate) mod own_resources;
pub(crate) mod prompts;
pub(crate) mod references;
pub(crate) mod registration;
pub(crate) mod resources;
pub(crate) mod server_set;
pub(crate) mod session_states;
pub(crate) mod tasks;
pub(crate) mod transactions;

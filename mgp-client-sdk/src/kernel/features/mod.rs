//! The features of the kernel, each with its methods, and most with a layer or settings. No feature imports another one. They share:
//!
//! | file | content |
//! |---|---|
//! | `forward.rs` | forwards a host's request to its server, and records it |
//! | `own_resources.rs` | the traits of resources that a feature has itself |
//! | `server_set.rs` | the servers as a set that features add to and remove from |

pub(in crate::kernel) mod announce;
pub(in crate::kernel) mod audit_forwarding;
pub(in crate::kernel) mod completion;
#[cfg(feature = "child")]
pub(in crate::kernel) mod creation;
pub(in crate::kernel) mod events;
pub(in crate::kernel) mod forward;
pub(in crate::kernel) mod manifest;
pub(in crate::kernel) mod own_resources;
pub(in crate::kernel) mod prompts;
pub(in crate::kernel) mod references;
pub(in crate::kernel) mod registration;
pub(in crate::kernel) mod resources;
pub(in crate::kernel) mod server_set;
pub(in crate::kernel) mod session_states;
pub(in crate::kernel) mod tasks;
pub(in crate::kernel) mod transactions;

//! §16.6 Active tool requests: a capability is asked for, and the tools that have it are loaded into the session.
//!
//! | file | what it holds |
//! |---|---|
//! | `params.rs` | what may be asked for |
//! | `candidates.rs` | the one place that searches the index |
//! | `serves.rs` | from where on a hit has a capability |
//! | `sharpen.rs`, `types.rs` | which of several that have it fits best |
//! | `approvals.rs` | what waits for a permission (§3) |
//! | `service.rs` | the answer |

mod approvals;
mod candidates;
mod params;
mod serves;
mod service;
mod sharpen;
mod types;

#[cfg(test)]
mod tests;

pub use approvals::{Approvals, NoApprovals};
pub use params::{MAX_CAPABILITIES, MAX_TYPES};
pub use serves::serves;
pub use service::{Answered, Requests};

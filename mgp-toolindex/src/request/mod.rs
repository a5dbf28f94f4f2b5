//! §16.6 Active tool requests, which load the tools for requested capabilities into the session.
//!
//! | file | content |
//! |---|---|
//! | `params.rs` | reads and checks the parameters |
//! | `candidates.rs` | the only place that searches the index |
//! | `serves.rs` | the threshold at which a hit has a capability |
//! | `sharpen.rs`, `types.rs` | the order of several tools that have a capability |
//! | `approvals.rs` | tools that wait for a permission (§3) |
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
pub use service::{RequestOutcome, Requests, shown};

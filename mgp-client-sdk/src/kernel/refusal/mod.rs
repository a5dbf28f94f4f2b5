//! What a refused call is answered with: the form that the operator chose, a report, and what to do next.
//!
//! | file | what it holds |
//! |---|---|
//! | `layer.rs`, `service.rs` | finds the refusals among the answers |
//! | `report.rs` | the answer to a refusal |
//! | `suggestion.rs` | what the caller, or its operator, can do |
//! | `nearest.rs` | names like the one that was called |

mod layer;
mod nearest;
mod report;
mod service;
mod suggestion;

pub(in crate::kernel) use layer::RefusalLayer;
#[cfg(feature = "cli")]
pub(in crate::kernel) use nearest::nearest;

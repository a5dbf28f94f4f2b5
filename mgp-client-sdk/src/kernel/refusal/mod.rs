//! The answers to refused calls: the form that the operator chose, a report, and a suggestion for what to do next.
//!
//! | file | what it holds |
//! |---|---|
//! | `layer.rs`, `service.rs` | finds the refusals among the answers |
//! | `report.rs` | the answer to a refusal |
//! | `suggestion.rs` | the suggestion for the caller, or for its operator |
//! | `nearest.rs` | names like the one that was called |
//! | `recommendation.rs` | another tool for the intent of a call that failed |
//! | `trace.rs` | the trace in an error, also in one of the connection itself |

mod nearest;
mod recommendation;
mod report;
mod service;
mod suggestion;
mod trace;

pub(in crate::kernel) use nearest::nearest;
pub(in crate::kernel) use service::Refusals;
pub use service::RefusalsAsErrors;
pub(in crate::kernel) use trace::{trace_refusals, with_trace};

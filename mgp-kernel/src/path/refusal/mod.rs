//! The answers to refused calls: the operator's choice of form, a report, and a suggestion for the next step.
//!
//! | file | content |
//! |---|---|
//! | `layer.rs`, `service.rs` | detect the refusals among the answers |
//! | `report.rs` | the answer to a refusal |
//! | `suggestion.rs` | the suggestion for the caller, or for its operator |
//! | `nearest.rs` | names similar to the called one |
//! | `recommendation.rs` | another tool for the intent of a call that failed |

mod layer;
mod nearest;
mod recommendation;
mod report;
mod service;
mod suggestion;

pub(crate) use layer::RefusalsLayer;
pub(crate) use nearest::nearest;
pub use service::RefusalsAsErrors;

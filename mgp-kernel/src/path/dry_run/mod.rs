//! Dry runs: `mgp/tools/check` and its aliases. A call goes through the whole pipeline, and the innermost service does not send it.
//!
//! | file | content |
//! |---|---|
//! | `layer.rs`, `service.rs` | turns the outcome of a dry run into the answer |
//! | `answer.rs` | the answers |

mod answer;
mod layer;
mod service;

pub(crate) use answer::own_tool;
pub(crate) use layer::DryRunsLayer;

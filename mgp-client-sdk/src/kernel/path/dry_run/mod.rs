//! Dry runs: `mgp/tools/check` and its aliases. A call goes through the whole pipeline, and the innermost service does not send it.
//!
//! | file | content |
//! |---|---|
//! | `layer.rs`, `service.rs` | turns the outcome of a dry run into the answer |
//! | `answer.rs` | the answers |

mod answer;
mod layer;
mod service;

pub(in crate::kernel) use answer::own_tool;
pub(in crate::kernel) use layer::DryRunsLayer;

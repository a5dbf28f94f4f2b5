//! Dry runs: `mgp/tools/check` and its aliases. A call goes through the whole pipeline, and the innermost service does not send it.
//!
//! | file | content |
//! |---|---|
//! | `form.rs` | the form in which a check is requested, and its params as those of a call |
//! | `service.rs` | turns the outcome of a dry run into the answer |
//! | `answer.rs` | the answers |

mod answer;
mod form;
mod service;

pub(in crate::kernel) use answer::own_tool;
pub(in crate::kernel) use form::DryRunForm;
pub(in crate::kernel) use service::DryRuns;

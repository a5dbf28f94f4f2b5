//! Transactions through the kernel: the calls that undo steps, what tools say of them, and the requests of hosts.
//!
//! | file | what it holds |
//! |---|---|
//! | `compensate.rs` | calls that undo steps, through the pipeline |
//! | `declared.rs` | the declarations of these calls |
//! | `events.rs` | the events of transactions in the audit trail |
//! | `tool.rs` | the tool `mgp_transaction` |

mod compensate;
mod declared;
mod events;
mod tool;

pub(super) use compensate::{CompensatingTool, PipelineCompensator};
pub(super) use declared::declared;
pub(super) use events::RecordedTransactions;
pub(super) use tool::{answer, show};

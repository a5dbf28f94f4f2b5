//! Transactions through the kernel: compensations, their declarations, and the requests of hosts.
//!
//! | file | content |
//! |---|---|
//! | `compensate.rs` | calls that undo steps, through the pipeline |
//! | `approver.rs` | the host that is asked about these calls |
//! | `pass.rs` | gates that do not refuse these calls |
//! | `follow.rs` | the ends of tasks with which servers answer steps |
//! | `declared.rs` | the declarations of these calls |
//! | `events.rs` | the events of transactions in the audit trail |
//! | `tool.rs` | the tool `mgp_transaction` |

mod approver;
mod compensate;
mod declared;
mod events;
mod follow;
mod pass;
mod tool;

pub(super) use approver::RollbackApprover;
pub(super) use compensate::{CompensatingTool, PipelineCompensator};
pub(super) use declared::declared;
pub(super) use events::RecordedTransactions;
pub(super) use follow::StepTasks;
pub(super) use pass::{CompensationPass, is_compensation};
pub(super) use tool::{answer, asker};

//! Transactions through the kernel: compensations, their declarations, and the requests of hosts.
//!
//! | file | content |
//! |---|---|
//! | `compensate.rs` | calls that undo steps, through the pipeline |
//! | `approver.rs` | the host that is asked about these calls |
//! | `pass.rs` | gates that do not refuse these calls |
//! | `declared.rs` | the declarations of these calls |
//! | `events.rs` | the events of transactions in the audit trail |
//! | `methods.rs` | the methods for transactions |
//! | `tool.rs` | the tool `mgp_transaction` |

mod approver;
mod compensate;
mod declared;
mod events;
mod methods;
mod pass;
mod tool;

pub(in crate::kernel) use approver::RollbackApprover;
pub(in crate::kernel) use compensate::{CompensatingTool, PipelineCompensator};
pub(in crate::kernel) use declared::declared;
pub(in crate::kernel) use events::RecordedTransactions;
use methods::asker;
pub(in crate::kernel) use methods::routes;
pub(in crate::kernel) use pass::{CompensationPass, is_compensation};
pub(in crate::kernel) use tool::TransactionTool;

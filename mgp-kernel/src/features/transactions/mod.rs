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

pub(crate) use approver::RollbackApprover;
pub(crate) use compensate::PipelineCompensator;
pub(crate) use declared::declared;
pub(crate) use events::RecordedTransactions;
use methods::asker;
pub(crate) use methods::routes;
pub(crate) use pass::{CompensationPass, is_compensation};
pub(crate) use tool::TransactionTool;

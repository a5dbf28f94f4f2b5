//! Transactions of calls that are undone by other calls (sagas).
//!
//! A caller begins a transaction, makes calls as its steps, and commits it or rolls it back. A rollback undoes each step that took effect by
//! calling a tool of the same server, last step first. Nothing is isolated, and nothing is atomic. But each step is stored before and after
//! its call, so the state reported to a caller is true even after a crash.
//!
//! | file | contents |
//! |---|---|
//! | `dry_run.rs`, `check.rs`, `errors.rs` | the errors of dry runs and of real requests |
//! | `engine.rs`, `methods.rs` | transactions, and the requests about them |
//! | `inner.rs`, `settings.rs` | the state that transactions share, and their bounds |
//! | `layer.rs`, `service.rs`, `step.rs` | the layer that makes calls steps |
//! | `open_step.rs`, `step_end.rs` | a step whose call runs, and its end |
//! | `step_task.rs`, `follower.rs`, `ended_tasks.rs` | steps that go on as tasks after their answer |
//! | `rollback.rs`, `compensator.rs`, `sending.rs` | undoing steps, by calls that are sent once |
//! | `template.rs` | calls that undo steps, as an operator or a server's tool declares them |
//! | `watch.rs`, `gone.rs` | abandoned transactions, and steps of processes that are gone |
//! | `observer.rs` | observers of transactions |
//! | `record.rs`, `store.rs`, `sql.rs` | the stored form |

mod check;
mod compensator;
mod dry_run;
mod ended_tasks;
mod engine;
mod errors;
mod follower;
mod gone;
mod inner;
mod layer;
mod methods;
mod observer;
mod open_step;
mod record;
mod rollback;
mod sending;
mod service;
mod settings;
#[cfg(feature = "sqlite")]
mod sql;
mod step;
mod step_end;
mod step_task;
mod store;
mod template;
#[cfg(test)]
#[cfg(feature = "sqlite")]
mod tests;
mod watch;

pub use compensator::{CompensationCall, CompensationEnd, CompensationMark, Compensator};
pub use engine::{RollbackAsker, Transactions};
pub use follower::{StepTask, TaskFollower};
pub use layer::TransactionLayer;
pub use methods::TransactionMethods;
pub use mgp_store::StoreError;
pub use observer::{TransactionEvent, TransactionObserver};
pub use record::{Step, Transaction, TransactionCaller, TransactionKey};
pub use service::Steps;
pub use settings::TransactionSettings;
#[cfg(feature = "sqlite")]
pub use sql::SqlTransactionStore;
pub use store::{Change, InsertBounds, InsertOutcome, TransactionStore};
pub use template::{CompensationTemplate, DeclaredCompensations};

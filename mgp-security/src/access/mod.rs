//! §5 Access control: which agent may use which tool of which server.
//!
//! [`AccessControl`] answers from a snapshot in memory, and is the gate in the pipeline; an [`AccessStore`] keeps the
//! rules. [`AccessMethods`] answers `mgp/access/*`.

mod control;
mod entry;
mod judge;
mod memory;
mod methods;
mod snapshot;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod unreadable;
mod visibility;

pub use control::AccessControl;
pub use memory::MemoryAccessStore;
pub use methods::AccessMethods;
pub use snapshot::{AccessDenial, Judgement};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteAccessStore;
pub use store::{AccessKey, AccessStore};
pub use unreadable::UnreadableRule;

pub use crate::stored_rows::StoredRows;
pub use mgp_store::StoreError;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests_of_sqlite;

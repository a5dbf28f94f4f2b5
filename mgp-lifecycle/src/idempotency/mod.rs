//! Calls that carry a key are made once.
//!
//! A caller that got no answer does not know whether its call ran. A call with an idempotency key may be sent again without harm: the first
//! one is made and its answer is kept, and every later one with the same key gets that answer. It works in front of every server, because
//! the server knows nothing of it.
//!
//! An entry belongs to its caller, tool and key, and holds the hash of the arguments. It is stored before the call is sent, so that after
//! the end of the process nobody sends the call again: its outcome is unknown then, and the answer says so.
//!
//! | file | what it holds |
//! |---|---|
//! | `layer.rs`, `service.rs` | the layer, directly around dispatch |
//! | `foresee.rs` | the way of a dry run |
//! | `claim.rs` | the way of one call with a key |
//! | `own_task.rs` | the task in which a call runs |
//! | `running.rs` | calls of this process that others with the same key wait for |
//! | `outcome.rs` | what is kept of a call's end |
//! | `answer.rs` | the answers to calls that are not made |
//! | `entry.rs` | an entry, and its bounds |
//! | `store.rs`, `sqlite.rs`, `memory.rs` | the store of entries |

mod answer;
mod claim;
mod entry;
mod foresee;
mod layer;
mod memory;
mod outcome;
mod own_task;
mod running;
mod service;
mod settings;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
#[cfg(test)]
#[cfg(feature = "sqlite")]
mod tests;

pub use entry::{Claim, Entry, EntryBound, EntryBounds, EntryId, EntryState, KeptAnswer, NewEntry, Outcome};
pub use layer::IdempotencyLayer;
pub use memory::MemoryIdempotencyStore;
pub use mgp_store::StoreError;
pub(crate) use outcome::outcome;
pub use service::Idempotency;
pub use settings::IdempotencySettings;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteIdempotencyStore;
pub use store::IdempotencyStore;

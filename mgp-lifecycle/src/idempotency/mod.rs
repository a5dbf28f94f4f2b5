//! Calls that carry a key are made once.
//!
//! A caller that got no answer does not know whether its call ran. A call with an idempotency key may be sent again safely. The first call is
//! made and its answer is kept; every later call with the same key gets that answer. This works with every server, because the server takes
//! no part in it.
//!
//! An entry belongs to its caller, tool and key, and holds the hash of the arguments. It is stored before the call is sent, so that the call
//! is not sent again after the end of the process. Its outcome is then unknown, and the answer states this.
//!
//! | file | contents |
//! |---|---|
//! | `layer.rs`, `service.rs` | the layer, directly around dispatch |
//! | `foresee.rs` | the path of a dry run |
//! | `claim.rs` | the path of one call with a key |
//! | `own_task.rs` | the task in which a call runs |
//! | `running.rs` | calls of this process that others with the same key wait for |
//! | `outcome.rs` | the part of a call's end that is kept |
//! | `answer.rs` | the answers to calls that are not made |
//! | `entry.rs` | an entry, and its bounds |
//! | `store.rs`, `sql.rs` | the store of entries |

mod answer;
mod claim;
mod entry;
mod foresee;
mod keys;
mod layer;
mod outcome;
mod own_task;
mod running;
mod service;
mod settings;
#[cfg(feature = "sqlite")]
mod sql;
mod store;
#[cfg(test)]
#[cfg(feature = "sqlite")]
mod tests;

#[cfg(feature = "sqlite")]
pub(crate) use entry::calling_agent;
pub use entry::{Claim, Entry, EntryBound, EntryBounds, EntryId, EntryState, KeptAnswer, NewEntry, Outcome};
pub use layer::IdempotencyLayer;
pub use mgp_store::StoreError;
pub(crate) use outcome::outcome;
pub use service::Idempotency;
pub use settings::IdempotencySettings;
#[cfg(feature = "sqlite")]
pub use sql::SqlIdempotencyStore;
pub use store::IdempotencyStore;

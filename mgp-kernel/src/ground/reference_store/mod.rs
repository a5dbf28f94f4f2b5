//! The store of kept results that several kernels share.
//!
//! | file | contents |
//! |---|---|
//! | `room.rs` | the bounds of kept results, and what is kept |
//! | `store.rs` | the trait |
//! | `sql.rs` | the store in the tables of a database |

mod room;
mod sql;
mod store;
#[cfg(test)]
mod tests;

pub use room::{KeptTotals, RoomBounds, RoomShortage};
pub use sql::SqlReferenceStore;
pub use store::{NewReference, ReferenceName, ReferenceStore, StoredReference};

//! The store of kept results that several kernels share.
//!
//! | file | contents |
//! |---|---|
//! | `room.rs` | the bounds of kept results, and what is kept |
//! | `store.rs` | the trait |
//! | `upload.rs` | the object of a result that is being written |
//! | `sql.rs` | the store in the tables of a database |
//! | `objects.rs` | the same with objects for the data of long results (feature `s3`) |

#[cfg(test)]
#[cfg(feature = "s3")]
mod object_tests;
#[cfg(feature = "s3")]
mod objects;
mod room;
mod sql;
mod store;
#[cfg(test)]
mod tests;
mod upload;

#[cfg(feature = "s3")]
pub use objects::ObjectReferenceStore;
pub use room::{KeptTotals, RoomBounds, RoomShortage};
pub use sql::SqlReferenceStore;
pub use store::{NewReference, ReferenceName, ReferenceStore, STORED_CHUNK, StoredReference};
pub use upload::ReferenceUpload;

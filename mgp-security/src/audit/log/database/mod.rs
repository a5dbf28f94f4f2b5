//! The trails of several machines in one database.
//!
//! Each trail keeps its own chain. Its row in the table `audit_trails` is its head, which moves in the transaction that inserts events. So each
//! event is inserted exactly once, whichever process copies it.
//!
//! | file | contents |
//! |---|---|
//! | `schema` | the tables |
//! | `event` | an event with its columns |
//! | `head` | the last event of a trail |
//! | `append` | inserts events after the head |
//! | `days` | the partitions of days, and the removal of old ones |
//! | `reader` | pages over all trails |
//! | `merge` | the order of events of several trails |
//! | `verify` | checks the chains |
//! | `files` | writes whole trails to files |

mod append;
mod days;
mod event;
mod files;
mod head;
mod merge;
mod reader;
mod schema;
mod verify;

pub(super) use days::day_of;
pub(super) use event::{EventTexts, StoredEvent};
pub(super) use head::{TrailHead, TrailStart};
pub(super) use reader::unread;
pub use schema::AuditDatabase;
pub use verify::{TrailFault, TrailVerification};

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

//! SQLite as a store: opening a file that several processes share, and using it off the runtime's threads.

mod database;
mod open;

pub(crate) use database::Database;
pub(crate) use open::{BUSY, Synchronous, is_busy, open};

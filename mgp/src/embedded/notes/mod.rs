//! The server `notes`: notes in an SQLite file, in a separate process.

mod error;
mod schema;
mod server;
mod spec;
mod store;

pub(crate) use error::NotesError;
pub(crate) use server::stack;
pub(crate) use spec::{ID, spec};
pub(crate) use store::Notes;

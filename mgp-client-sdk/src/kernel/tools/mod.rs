//! The tools of every server, in one consistent snapshot that is replaced as a whole.

mod entry;
mod needs;
mod table;

pub(crate) use entry::ToolEntry;
pub(crate) use table::{ToolTable, judge};

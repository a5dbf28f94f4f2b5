//! What the kernel knows of every tool of every server: one consistent snapshot, replaced as a whole.

mod entry;
mod needs;
mod table;

pub(crate) use entry::ToolEntry;
pub(crate) use table::{ToolTable, judge};

//! The leftovers, and the table.

mod json;
mod left;
mod memory;
mod outcome;
mod table;

pub(crate) use json::json;
pub(crate) use left::Left;
pub(crate) use memory::Memory;
pub(crate) use outcome::Outcome;
pub(crate) use table::{closing, table};

//! The output of a bench: rows, as a table or as JSON.

mod json;
mod row;
mod table;

pub(crate) use json::json;
pub(crate) use row::{Better, Row};
pub(crate) use table::table;

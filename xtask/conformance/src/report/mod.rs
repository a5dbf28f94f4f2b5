//! Tables, closing lines and JSON.

mod json;
mod outcome;
mod tally;
mod text;

pub(crate) use json::json;
pub(crate) use outcome::Outcome;
pub(crate) use tally::Tally;
pub(crate) use text::{closing_line, table};

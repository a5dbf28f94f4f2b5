//! The leftovers, and the table.

mod json;
mod leftovers;
mod memory;
mod outcome;
mod table;

pub(crate) use json::json;
pub(crate) use leftovers::LeftoverCounts;
pub(crate) use memory::{Memory, resident, watch};
pub(crate) use outcome::{Outcome, SLEEPS, WAKES, required};
pub(crate) use table::{closing, table};

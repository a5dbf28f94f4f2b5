//! The page of tools.

mod agents;
mod answer;
mod arguments;
mod detail;
mod filter;
mod list;
mod report;
mod result;
mod search;
mod view;

pub(crate) use answer::{call_answer, check_answer};
pub(crate) use arguments::arguments;
pub(crate) use view::tools;

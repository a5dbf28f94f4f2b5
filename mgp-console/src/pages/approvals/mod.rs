//! The page of decisions.

mod arguments;
mod calls;
mod decided;
mod definitions;
mod dry_run;
mod indent;
mod outcome;
mod pattern;
mod permissions;
mod preview;
mod questions;
mod servers;
mod short_id;
mod suggestion;
#[cfg(test)]
mod tests;
mod view;
mod waiting;

pub(crate) use outcome::decision_outcome;
pub(crate) use preview::pattern_preview;
pub(crate) use view::approvals;
pub(crate) use waiting::waiting;

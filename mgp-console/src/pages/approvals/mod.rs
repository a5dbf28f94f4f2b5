//! The page of decisions.

mod questions;
mod view;
mod words;

pub(crate) use view::approvals;
pub(crate) use words::ApprovalWords;

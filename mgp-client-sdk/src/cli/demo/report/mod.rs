//! What is printed.

mod human;
mod json;
mod played;

pub(super) use played::{Played, Report, report};

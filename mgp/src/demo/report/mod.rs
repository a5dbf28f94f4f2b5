//! The report of the tour, for people or for programs.

mod human;
mod json;
mod played;

pub(super) use played::{PlayedStep, Report, report};

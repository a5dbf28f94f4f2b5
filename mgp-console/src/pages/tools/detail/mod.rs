//! One tool: its description, its gates, the form of its arguments.

mod facts;
mod form;
mod report;
mod view;

pub(super) use view::detail;

//! The page of the audit trail.

mod view;
mod words;

pub(crate) use view::trail;
pub(crate) use words::TrailWords;

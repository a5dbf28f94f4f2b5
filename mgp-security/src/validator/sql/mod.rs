//! SQL: whether a text only reads.

mod comments;
mod functions;
mod judge;
mod words;

pub(super) use comments::without_comments;
pub(super) use judge::{Answer, judge, may_write};

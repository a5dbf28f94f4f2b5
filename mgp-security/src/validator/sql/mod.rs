//! SQL: whether a text only reads.

mod comments;
mod functions;
mod judge;
mod words;

pub(super) use comments::code_alone;
pub(super) use judge::{Answer, calls_effects, is_effect, judge, may_write};

//! Bytes to frames.

mod line;
mod passed_over;

pub(crate) use line::LineReader;

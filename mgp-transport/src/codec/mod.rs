//! Bytes to frames.

mod line;

pub(crate) use line::LineReader;

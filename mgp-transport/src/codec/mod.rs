//! Bytes to frames.

pub(crate) mod batch;
mod line;
mod outlined_line;
mod oversized_line;
#[cfg(test)]
mod tests;

pub(crate) use line::LineReader;

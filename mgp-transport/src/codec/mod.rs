//! Bytes to frames.

pub(crate) mod batch;
mod line;
mod passed_over;
#[cfg(test)]
mod tests;

pub(crate) use line::LineReader;

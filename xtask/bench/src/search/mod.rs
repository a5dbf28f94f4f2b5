//! Bench `search`: finding tools among 1,000, 10,000, 100,000 and 300,000, while one writer changes them. Searches by words are compared
//! with bm25s.
//! Each size is measured in a separate process, so that the memory is that of one index.

mod bm25s;
mod cached;
mod child;
mod measured;
mod rows;
mod run;
mod timed;
mod writer;

pub(crate) use child::measure_size;
pub(crate) use run::run;

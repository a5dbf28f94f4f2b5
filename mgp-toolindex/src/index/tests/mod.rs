//! Tests of the index.

mod deprecated;
mod embedders;
mod many;
mod meaning;
mod rights;
mod scores;
mod words;

//! Tests of the index.

mod embedders;
mod meaning;
mod rights;
mod words;

//! Examples of values that fit a schema.

mod array;
mod budget;
mod generate;
mod merge;
mod number;
mod object;
mod pattern;
mod schema_examples;
mod string;
#[cfg(test)]
mod tests;

pub use schema_examples::{MAX_SCHEMA_EXAMPLES, schema_examples};

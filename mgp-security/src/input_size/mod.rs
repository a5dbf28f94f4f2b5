//! Refuses calls whose arguments are larger than their tool takes, as its server says in `max_input_size_bytes`.
//!
//! The gate stands before the gates that ask somebody, because nobody should approve a call that its tool cannot take.

mod judge;

pub use judge::InputSize;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

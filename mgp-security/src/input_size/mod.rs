//! Refuses calls whose arguments are larger than their tool accepts, as its server states in `max_input_size_bytes`.
//!
//! The gate comes before the gates that ask for an approval, because nobody should approve a call that its tool cannot take.

mod judge;

pub use judge::InputSize;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

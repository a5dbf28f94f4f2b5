//! Refuses calls that hold a key twice in one object, whatever validators their tool has.
//!
//! Two readers could read such an object in two ways: the people who approve or audit a call could see other arguments than the server.
//! The gate stands before the gates that ask somebody.

mod judge;

pub use judge::UniqueKeys;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

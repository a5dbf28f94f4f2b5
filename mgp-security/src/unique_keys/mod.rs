//! Refuses calls with a duplicate key in an object, whatever validators their tool has.
//!
//! Parsers may read such an object differently: the people who approve or audit a call could see other arguments than the server. The
//! gate comes before the gates that ask for an approval.

mod judge;

pub use judge::UniqueKeys;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

//! Policies in the language Cedar.
//!
//! [`CedarPolicies`] reads them from a file, checks them against the schema, and decides by them where no rule does.

mod approximate;
mod arguments;
mod bounds;
mod error;
mod literals;
mod load;
mod names;
mod place;
mod policies;
mod request;

pub use error::{CedarError, CedarProblem};
pub use policies::CedarPolicies;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

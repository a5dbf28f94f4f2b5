//! The difference between two definitions of a tool.

mod alternatives;
mod definition;
mod difference;
mod schema;
#[cfg(test)]
mod tests;
mod version_check;

pub use definition::DefinitionDiff;
pub use difference::{Difference, Effect};
pub use version_check::VersionCheck;

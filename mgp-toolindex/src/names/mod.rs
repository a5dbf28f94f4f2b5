//! The names under which hosts call tools.

mod assign;
mod hashed;
mod table;

#[cfg(test)]
mod tests;

pub use assign::assign;
pub use table::{NameConflict, Names};

//! §7 Code safety: submitted code is parsed with the grammar of its language, and judged by what it imports and uses.
//!
//! [`CodeRules`] unite what is declared about a tool, and check its code. A walker for each language turns the tree into findings, with
//! names resolved; a policy for each language says what a name is capable of; a level is a set of capabilities that it blocks.

mod capability;
mod check;
mod finding;
mod hints;
mod imports;
mod judge;
mod languages;
mod levels;
mod patterns;
mod policy;
mod rules;
mod signature;
mod source;
mod source_tree;
mod uses;

pub use rules::CodeRules;
pub use signature::Signature;

#[cfg(test)]
mod tests;

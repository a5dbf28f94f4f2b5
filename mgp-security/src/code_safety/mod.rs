//! §7 Code safety: submitted code is parsed with the grammar of its language, and judged by its imports and uses.
//!
//! [`CodeRules`] unite the declarations about a tool, and check its code. A walker for each language turns the tree into findings with
//! resolved names. A policy for each language lists the capabilities of names. A level is the set of capabilities that it blocks.

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
mod violation;

pub use rules::CodeRules;
pub use signature::Signature;

#[cfg(test)]
mod tests;

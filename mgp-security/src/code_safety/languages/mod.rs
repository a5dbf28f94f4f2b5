//! The languages: a grammar, a walker that makes findings of a tree, and a policy.

mod language;
mod python;

pub(super) use language::Language;

//! The languages that can be judged.

use super::python;
use crate::{
    code_safety::{
        finding::Finding,
        policy::{PYTHON, Policy},
        source_tree::SourceTree,
    },
    syntax::Grammar,
};

/// A language that can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::code_safety) enum Language {
    /// Python 3.
    Python,
}

impl Language {
    /// Every language.
    pub(in crate::code_safety) const ALL: &'static [Self] = &[Self::Python];

    /// Returns the language of a name.
    pub(in crate::code_safety) fn of(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "python" | "python3" | "py" => Some(Self::Python),
            _ => None,
        }
    }

    /// Returns the grammar of the language.
    pub(in crate::code_safety) fn grammar(self) -> Grammar {
        match self {
            Self::Python => Grammar::Python,
        }
    }

    /// Returns the policy of the language.
    pub(in crate::code_safety) fn policy(self) -> &'static Policy {
        match self {
            Self::Python => &PYTHON,
        }
    }

    /// Returns what code does.
    pub(in crate::code_safety) fn findings(self, tree: &SourceTree<'_>) -> Vec<Finding> {
        match self {
            Self::Python => python::findings(tree, self.policy()),
        }
    }
}

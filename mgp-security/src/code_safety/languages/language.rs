//! The languages that can be judged.

use super::{bash, javascript, python};
use crate::{
    code_safety::{
        finding::Finding,
        policy::{BASH, JAVASCRIPT, PYTHON, Policy},
        source_tree::SourceTree,
    },
    syntax::Grammar,
};

/// A language that can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::code_safety) enum Language {
    /// Python 3.
    Python,
    /// JavaScript, with JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Bash.
    Bash,
}

impl Language {
    /// The languages in which code may be written if none is declared. Bash is not among them, because nearly every text can be read as
    /// Bash.
    pub(in crate::code_safety) const LIKELY: &'static [Self] =
        &[Self::Python, Self::JavaScript, Self::TypeScript, Self::Tsx];

    /// Returns the language of a name.
    pub(in crate::code_safety) fn of(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "python" | "python3" | "py" => Some(Self::Python),
            "javascript" | "js" | "jsx" | "mjs" | "cjs" | "ecmascript" | "node" | "nodejs" | "node.js" => {
                Some(Self::JavaScript)
            }
            "typescript" | "ts" | "mts" | "cts" | "deno" | "bun" => Some(Self::TypeScript),
            "tsx" => Some(Self::Tsx),
            "bash" | "sh" | "shell" | "shellscript" => Some(Self::Bash),
            _ => None,
        }
    }

    /// Returns the grammar of the language.
    pub(in crate::code_safety) fn grammar(self) -> Grammar {
        match self {
            Self::Python => Grammar::Python,
            Self::JavaScript => Grammar::JavaScript,
            Self::TypeScript => Grammar::TypeScript,
            Self::Tsx => Grammar::Tsx,
            Self::Bash => Grammar::Bash,
        }
    }

    /// Returns the policy of the language.
    pub(in crate::code_safety) fn policy(self) -> &'static Policy {
        match self {
            Self::Python => &PYTHON,
            Self::JavaScript | Self::TypeScript | Self::Tsx => &JAVASCRIPT,
            Self::Bash => &BASH,
        }
    }

    /// Returns the findings in code.
    pub(in crate::code_safety) fn findings(self, tree: &SourceTree<'_>) -> Vec<Finding> {
        match self {
            Self::Python => python::findings(tree, self.policy()),
            Self::JavaScript | Self::TypeScript | Self::Tsx => javascript::findings(tree, self.policy()),
            Self::Bash => bash::findings(tree, self.policy()),
        }
    }
}

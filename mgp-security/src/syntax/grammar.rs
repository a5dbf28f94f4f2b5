//! The compiled grammars.

use tree_sitter::Language;

/// A compiled grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "the sections that judge code are features")]
pub(crate) enum Grammar {
    /// Bash.
    Bash,
    /// JavaScript.
    JavaScript,
    /// Python.
    Python,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
}

impl Grammar {
    /// Returns the tables of the grammar.
    pub(super) fn language(self) -> Language {
        match self {
            Self::Bash => tree_sitter_bash::LANGUAGE,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
        }
        .into()
    }
}

//! A reason to refuse code.

/// A reason to refuse code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Violation {
    /// The sentence for the agent.
    pub(super) text: String,
    /// The name of the import, the use or the pattern.
    pub(super) name: Option<String>,
    /// True if the name is that of an import.
    pub(super) is_import: bool,
}

impl Violation {
    /// Creates a violation without a name.
    pub(super) fn new(text: String) -> Self {
        Self { text, name: None, is_import: false }
    }
}

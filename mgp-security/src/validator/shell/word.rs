//! A word of a command.

/// Replaces a part of a word's text whose value is known only when the script runs.
pub(in crate::validator) const OPAQUE: char = '\0';

/// A word of a command, without its quotes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::validator) struct Word {
    /// The text, with [`OPAQUE`] for each unknown part.
    pub(in crate::validator) text: String,
    /// True if any part is quoted or escaped.
    pub(super) quoted: bool,
    /// True if a shell replaces the word with the names of matching files.
    pub(in crate::validator) pattern: bool,
    /// True if an unknown part may become several words.
    pub(in crate::validator) splits: bool,
    /// The length of the name before an unquoted `=` or `+=`, if the word begins with one.
    pub(super) assigned: Option<usize>,
}

impl Word {
    /// Creates a word of known characters.
    pub(in crate::validator) fn literal(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Returns the word with another text.
    pub(in crate::validator) fn with_text(&self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self.clone() }
    }

    /// Creates an unknown word.
    pub(in crate::validator) fn opaque() -> Self {
        Self { text: OPAQUE.into(), splits: true, ..Self::default() }
    }

    /// Returns the text if every character is known.
    pub(in crate::validator) fn known(&self) -> Option<&str> {
        (!self.text.contains(OPAQUE)).then_some(self.text.as_str())
    }

    /// Returns whether the word may be an option at run time.
    pub(in crate::validator) fn may_be_option(&self) -> bool {
        self.splits
            || self.text.starts_with([OPAQUE, '-'])
            || (self.pattern && self.text.starts_with(['*', '?', '[']))
    }

    /// Adds an unknown part.
    pub(super) fn push_opaque(&mut self, in_quotes: bool) {
        self.text.push(OPAQUE);
        self.splits |= !in_quotes;
    }
}

//! Findings of a scan.

use serde::Serialize;
use std::fmt;

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// Text that is hidden from people, but read by models.
    HiddenText,
    /// Text that instructs a model to do more than call the tool.
    Instruction,
    /// A name that resembles that of another server's tool.
    Imitation,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HiddenText => "hidden text",
            Self::Instruction => "instruction",
            Self::Imitation => "imitation",
        })
    }
}

/// A part of a definition that may be meant to mislead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The kind of the finding.
    pub kind: FindingKind,
    /// The JSON pointer to the text in the definition. For the name of a member, it ends in the name.
    pub path: String,
    /// The reason why the text is suspicious.
    pub reason: String,
    /// The suspicious part of the text, with escapes for all characters that are not plain ASCII, and not longer than 80 characters.
    pub excerpt: String,
}

/// The longest excerpt, in characters before escapes.
const MAX_EXCERPT: usize = 80;

/// The longest path that is kept, in characters, because servers choose the names of parameters.
const MAX_PATH: usize = 200;

impl Finding {
    pub(super) fn new(kind: FindingKind, path: &str, reason: impl Into<String>, text: &str) -> Self {
        let escaped = |c: char| match c {
            ' '..='~' => vec![c],
            c if c.is_alphabetic() => vec![c],
            c => c.escape_unicode().collect(),
        };
        Self {
            kind,
            path: path.chars().take(MAX_PATH).flat_map(escaped).collect(),
            reason: reason.into(),
            excerpt: text.chars().take(MAX_EXCERPT).flat_map(escaped).collect(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, path, reason, excerpt } = self;
        write!(f, "{kind} in {path}: {reason} ({excerpt})")
    }
}

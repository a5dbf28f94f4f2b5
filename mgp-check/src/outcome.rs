//! The outcome of a check.

use mgp_types::printable::on_one_line;
use serde::Serialize;
use std::fmt;

/// The status of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckStatus {
    /// The server keeps the rule, as far as the check can show.
    Passed,
    /// The server breaks the rule.
    Failed,
    /// The rule does not concern the server, or could not be checked.
    Skipped,
}

impl fmt::Display for CheckStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        })
    }
}

/// The reason why a check did not pass.
#[derive(Debug)]
pub(crate) enum Miss {
    Failed(String),
    Skipped(String),
}

/// The finding of a check, in words: `Ok` if the rule is kept.
pub(crate) type Outcome = Result<String, Miss>;

pub(crate) fn failed<T>(message: impl Into<String>) -> Result<T, Miss> {
    Err(Miss::Failed(message.into()))
}

pub(crate) fn skipped<T>(message: impl Into<String>) -> Result<T, Miss> {
    Err(Miss::Skipped(message.into()))
}

/// The most characters of a message that are quoted.
const QUOTED: usize = 300;

/// Returns the beginning of a text, printable on one line.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", on_one_line(&text[..end])),
        None => on_one_line(text),
    }
}

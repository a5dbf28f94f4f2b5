//! The error of a check.

use mgp_types::code_safety::CodeRejection;
use std::fmt;

/// The refusal of code. Its `Display` is the rejection of §7.4 as JSON, so a handler that returns it answers with `isError` and
/// that text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeRefusal(Box<CodeRejection>);

impl CodeRefusal {
    /// Returns the rejection: violations with their places, and hints about code that would pass.
    #[must_use]
    pub fn rejection(&self) -> &CodeRejection {
        &self.0
    }
}

impl From<CodeRejection> for CodeRefusal {
    fn from(rejection: CodeRejection) -> Self {
        Self(Box::new(rejection))
    }
}

impl fmt::Display for CodeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(&self.0).map_err(|_| fmt::Error)?)
    }
}

impl std::error::Error for CodeRefusal {}

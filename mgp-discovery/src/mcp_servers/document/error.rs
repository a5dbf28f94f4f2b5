//! Errors of editing a host's file.

use thiserror::Error;

/// The error of a host's file that cannot be edited.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The file does not have the syntax of its format.
    #[error("line {line}: {reason}")]
    Syntax {
        /// The line of the fault, from 1 on.
        line: usize,
        /// A description of the fault.
        reason: String,
    },
    /// The file has a form that is not edited.
    #[error("{0}")]
    Form(String),
}

impl EditError {
    pub(super) fn syntax(line: usize, reason: impl Into<String>) -> Self {
        Self::Syntax { line, reason: reason.into() }
    }

    pub(super) fn form(reason: impl Into<String>) -> Self {
        Self::Form(reason.into())
    }
}

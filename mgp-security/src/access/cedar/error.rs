//! Errors of policy files.

use std::{fmt, io, path::PathBuf};

/// The error of a policy file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CedarError {
    /// The file cannot be read.
    #[error("failed to read the policy file {path}: {source}")]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The policies cannot be used.
    #[error("{}", lines(.0))]
    Invalid(Vec<CedarProblem>),
}

/// One problem in a policy file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CedarProblem {
    /// The path or name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The problem, and what was expected.
    pub message: String,
}

impl fmt::Display for CedarProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message } = self;
        write!(f, "{file}:{line}:{column}: {message}")
    }
}

fn lines(problems: &[CedarProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

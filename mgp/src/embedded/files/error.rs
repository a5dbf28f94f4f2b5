//! The error of a file that cannot be used.

use mgp_server_sdk::{ErrorType, Failure, RawJson, RawObject};
use std::io;

/// The error of a file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    #[error("invalid path {0:?}: expected one below the folder, without .. or a root")]
    Outside(String),
    #[error("invalid path {0:?}: a part of it is a symbolic link, which is not followed")]
    Link(String),
    #[error("invalid path: {found} bytes long, expected at most {limit}")]
    LongPath { found: usize, limit: usize },
    #[error("invalid path {path:?}: expected {expected}")]
    Kind { path: String, expected: &'static str },
    #[error("{path:?} is too large: expected at most {limit} bytes")]
    TooLarge { path: String, limit: u64 },
    #[error("{0:?} is not text: expected UTF-8")]
    NoText(String),
    #[error("the folder is full: it holds {0} files, which is the limit")]
    Full(usize),
    #[error("invalid text to search for: expected 1 to {limit} bytes, found {found}")]
    SearchText { found: usize, limit: usize },
    #[error("{path:?}: {error}")]
    Io { path: String, error: io::Error },
}

impl FileError {
    fn error_type(&self) -> ErrorType {
        match self {
            Self::Io { error, .. } if error.kind() == io::ErrorKind::NotFound => ErrorType::FileNotFoundError,
            Self::Io { error, .. } if error.kind() == io::ErrorKind::PermissionDenied => {
                ErrorType::PermissionError
            }
            Self::Io { .. } | Self::NoText(_) | Self::Full(_) => ErrorType::ToolExecutionError,
            Self::Outside(_)
            | Self::Link(_)
            | Self::LongPath { .. }
            | Self::Kind { .. }
            | Self::TooLarge { .. }
            | Self::SearchText { .. } => ErrorType::ValidationError,
        }
    }

    fn path(&self) -> Option<&str> {
        match self {
            Self::Outside(path) | Self::Link(path) | Self::NoText(path) => Some(path),
            Self::Kind { path, .. } | Self::TooLarge { path, .. } | Self::Io { path, .. } => Some(path),
            Self::LongPath { .. } | Self::Full(_) | Self::SearchText { .. } => None,
        }
    }

    /// Returns a function that turns an error of the operating system about a path into a [`FileError`].
    pub(super) fn io(path: &str) -> impl Fn(io::Error) -> Self {
        move |error| Self::Io { path: path.to_owned(), error }
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let failure = Self::new(error.error_type(), &error);
        match error.path() {
            Some(path) => {
                let details: RawObject = [("path", RawJson::string(path))].into_iter().collect();
                failure.details(details)
            }
            None => failure,
        }
    }
}

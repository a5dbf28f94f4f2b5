//! The errors of reading JSON.

use std::fmt;

/// The reason a piece of JSON was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonError {
    /// The text is not JSON. Holds the parser's message with line and column.
    Syntax(String),
    /// Arrays and objects are nested deeper than the limit.
    TooDeep {
        /// The deepest nesting that is accepted, in levels.
        limit: usize,
    },
    /// An object holds the same key twice.
    DuplicateKey(String),
    /// An object inside the value holds the same key twice.
    DuplicateKeyAt {
        /// The key, or its start.
        key: String,
        /// The JSON pointer (RFC 6901) that leads to the object, or its start.
        pointer: String,
    },
    /// The value is JSON, but not the expected object. Holds the kind of value instead.
    NotAnObject(&'static str),
    /// An object lacks a required member.
    Missing(&'static str),
    /// A member of an object does not have the required form.
    Member {
        /// The member's key.
        key: String,
        /// The problem with the member's value.
        problem: String,
    },
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(message) => write!(f, "invalid JSON: {message}"),
            Self::TooDeep { limit } => write!(f, "JSON nested deeper than {limit} levels"),
            Self::DuplicateKey(key) => write!(f, "duplicate key {key:?}"),
            Self::DuplicateKeyAt { key, pointer } if pointer.is_empty() => write!(f, "duplicate key {key:?}"),
            Self::DuplicateKeyAt { key, pointer } => {
                write!(f, "duplicate key {key:?} in the object at {pointer:?}")
            }
            Self::NotAnObject(found) => write!(f, "expected a JSON object, found {found}"),
            Self::Missing(key) => write!(f, "missing {key}"),
            Self::Member { key, problem } => write!(f, "invalid {key}: {problem}"),
        }
    }
}

impl std::error::Error for JsonError {}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        Self::Syntax(error.to_string())
    }
}

//! The reasons for which a text is not a usable document.

use crate::limits::{MAX_NESTING, MAX_TEXT, MAX_VALUES};

/// A text that is not an OpenAPI document of version 3.0 or 3.1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The text is too long.
    #[error("the document has {size} bytes, expected at most {MAX_TEXT}")]
    TooLong {
        /// The length of the text, in bytes.
        size: usize,
    },
    /// The text is neither JSON nor YAML.
    #[error("line {line}, column {column}: invalid {format}: {message}")]
    Syntax {
        /// The format that the text seems to have: `JSON` or `YAML`.
        format: &'static str,
        /// The line, from 1 on.
        line: usize,
        /// The column, from 1 on.
        column: usize,
        /// The message of the parser.
        message: String,
    },
    /// Arrays and objects nest too deep.
    #[error("line {line}: expected at most {MAX_NESTING} levels of arrays and objects")]
    TooDeep {
        /// The line, from 1 on.
        line: usize,
    },
    /// The anchors of a YAML document expand to too many values.
    #[error("line {line}: the anchors expand to more than {MAX_VALUES} values")]
    TooManyValues {
        /// The line, from 1 on.
        line: usize,
    },
    /// A part of the document has another form than OpenAPI defines.
    #[error("at `{pointer}`: got {value}, expected {expected}")]
    Form {
        /// The JSON pointer of the part; empty for the whole document.
        pointer: String,
        /// The beginning of the part's value.
        value: String,
        /// The form that OpenAPI defines.
        expected: &'static str,
    },
    /// The document describes an API in Swagger's format, which came before OpenAPI.
    #[error(
        "at `/swagger`: the document is Swagger {version}, expected OpenAPI 3.0 or 3.1; convert it first"
    )]
    Swagger {
        /// The version that the document names.
        version: String,
    },
    /// The document has another version of OpenAPI.
    #[error("at `/openapi`: got version {version}, expected 3.0 or 3.1")]
    Version {
        /// The version that the document names.
        version: String,
    },
}

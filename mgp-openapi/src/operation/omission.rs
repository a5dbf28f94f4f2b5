//! Operations that cannot be tools.

use super::Method;
use crate::{
    document::ReferenceError,
    limits::{MAX_CONVERSIONS, MAX_OPERATIONS, MAX_PARAMETERS, MAX_SCHEMA},
};
use std::fmt;

/// An operation of a document that cannot be a tool, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Omission {
    /// The path in the document.
    pub path: String,
    /// The method. Absent if the whole path cannot be used.
    pub method: Option<Method>,
    /// The operation's `operationId`, if it has one.
    pub operation_id: Option<String>,
    /// The reason.
    pub reason: OmissionReason,
}

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.method {
            Some(method) => write!(f, "{method} {}: {}", self.path, self.reason),
            None => write!(f, "{}: {}", self.path, self.reason),
        }
    }
}

/// A reason for which an operation cannot be a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OmissionReason {
    /// The selection has too many operations.
    #[error("more than {MAX_OPERATIONS} operations are selected")]
    TooManyOperations,
    /// The operation has too many parameters.
    #[error("the operation has more than {MAX_PARAMETERS} parameters")]
    TooManyParameters,
    /// A part of the operation has another form than OpenAPI defines.
    #[error("{part} is {value}, expected {expected}")]
    Form {
        /// The part.
        part: String,
        /// The beginning of its value.
        value: String,
        /// The form that OpenAPI defines.
        expected: &'static str,
    },
    /// The path cannot be that of a request.
    #[error("the path {0}")]
    Path(String),
    /// A reference cannot be followed.
    #[error("{0}")]
    Reference(String),
    /// The schemas of the document are too large, with parts that operations share counted for each of them.
    #[error("the schemas of the operations up to this one have more than {MAX_CONVERSIONS} parts")]
    TooManyConversions,
    /// The names of the arguments do not fit into a schema of the permitted size.
    #[error("the schema of the arguments has more than {MAX_SCHEMA} bytes even in its shortest form")]
    SchemaTooLarge,
}

impl From<ReferenceError> for OmissionReason {
    fn from(error: ReferenceError) -> Self {
        Self::Reference(error.to_string())
    }
}

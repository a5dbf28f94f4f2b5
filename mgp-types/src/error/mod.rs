//! §14 Errors: the table of codes, the advice to callers about each, and the translation for plain MCP peers.

mod code;
mod document;
mod error_type;
mod origin;
mod plain;
mod recovery;
mod registry;
mod report;

pub use code::{ErrorCategory, ErrorCode, ProposedCategory, RetryStrategy};
pub use document::error_table;
pub use error_type::ErrorType;
pub use recovery::Recovery;

//! §14 Errors: the one table of codes, what a caller may do about each, and what a plain MCP peer is told instead.

mod code;
mod document;
mod plain;
mod recovery;
mod report;

pub use code::{ErrorCategory, ErrorCode, RetryStrategy};
pub use document::error_table;
pub use recovery::Recovery;

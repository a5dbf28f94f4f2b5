//! The tools that a caller may see as an OpenAPI 3.1 document, for REST clients.
//!
//! | file | content |
//! |---|---|
//! | `methods.rs` | the method |
//! | `document.rs` | the document |
//! | `schema.rs` | a tool's schemas as parts of the document |
//! | `moved.rs` | the references in the schemas |
//! | `dialect.rs` | the dialect of the schemas, and the check against it |

mod dialect;
mod document;
mod methods;
mod moved;
mod schema;

pub(crate) use document::document;
pub(crate) use methods::routes;

//! The tools that a caller may see as a document of OpenAPI 3.1, for clients over REST.
//!
//! | file | what it holds |
//! |---|---|
//! | `methods.rs` | the method |
//! | `document.rs` | the document |
//! | `schema.rs` | a tool's schemas as parts of it |
//! | `moved.rs` | the references in them |
//! | `dialect.rs` | their dialect, and the check that they keep to it |

mod dialect;
mod document;
mod methods;
mod moved;
mod schema;

pub(super) use document::document;
pub(super) use methods::routes;

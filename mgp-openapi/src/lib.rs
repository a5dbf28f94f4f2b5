//! OpenAPI documents as MCP tools: each operation becomes a tool, a call becomes an HTTP request, and the response becomes a result.
//!
//! ```
//! use mgp_openapi::{Document, Selection};
//! use mgp_types::json::RawJson;
//!
//! let document = Document::parse("
//! openapi: 3.1.0
//! servers: [{url: https://api.example.com/v1}]
//! paths:
//!   /users/{id}/notes:
//!     post:
//!       operationId: notes/create
//!       parameters:
//!         - {name: id, in: path, required: true, schema: {type: integer}}
//!       requestBody:
//!         required: true
//!         content:
//!           application/json:
//!             schema:
//!               type: object
//!               required: [text]
//!               properties: {text: {type: string}}
//! ")?;
//! let (operations, omissions) = document.operations(&Selection::default());
//! assert!(omissions.is_empty());
//! let operation = &operations[0];
//! assert_eq!(operation.tool().name, "notes_create");
//!
//! let request = operation.request(&RawJson::parse(r#"{"id": 7, "text": "hello"}"#)?)?;
//! assert_eq!(format!("{} {}", request.method, request.path_and_query), "POST /users/7/notes");
//! assert_eq!(request.body.unwrap().bytes, br#"{"text":"hello"}"#);
//!
//! let result = operation.result(201, Some("application/json"), br#"{"id":1}"#);
//! assert_eq!(result.structured_content.unwrap().as_str(), r#"{"id":1}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate does no I/O: the caller reads the document, and sends the requests to a base URL, with credentials.
//!
//! - [`Document`]: a document of OpenAPI 3.0 or 3.1, in JSON or YAML, with its servers and kinds of authentication.
//! - [`Selection`]: a choice of operations. An operation that cannot be a tool is an [`Omission`] with its reason.
//! - [`Operation`]: the [tool](Operation::tool), the [request](Operation::request) of a call, the
//!   [result](Operation::result) of a response, and the [next page](Operation::next_page).
//! - [`join_pages`]: the union of pages.
//! - [`limits`]: the bounds on documents and on what is made of them. A document need not be trusted.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod document;
pub mod limits;
mod operation;
mod paging;
mod request;
mod result;
mod schema;
mod selection;
mod text;
mod tool;

pub use document::{Document, DocumentError, SecurityKind, SecurityScheme};
pub use operation::{Method, Omission, OmissionReason, Operation, UnknownMethod};
pub use paging::{ApiResponse, join_pages};
pub use request::{ApiRequest, ArgumentError, RequestBody};
pub use selection::{Rule, Selection};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

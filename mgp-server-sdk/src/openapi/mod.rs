//! HTTP APIs as servers: each operation of an OpenAPI document is a tool.
//!
//! ```
//! use mgp_server_sdk::{Server, openapi::{Api, Document}};
//!
//! let document = Document::parse("
//! openapi: 3.1.0
//! info: {title: Pets, version: 1.0.0}
//! servers: [{url: https://pets.example.com/v1}]
//! paths:
//!   /pets/{id}:
//!     get:
//!       operationId: getPet
//!       parameters:
//!         - {name: id, in: path, required: true, schema: {type: integer}}
//! ")?;
//! let server = Server::from_openapi("pets", "1.0.0", Api::new(document))?.build()?;
//! # let _ = server;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A call becomes a request to the API, and the response becomes the result. Requests go only to the host of the base URL.

mod api;
mod call;
mod error;
mod tools;

pub use api::Api;
pub use error::ApiError;
pub use mgp_openapi::{Document, DocumentError, Method, Omission, Rule, Selection};
pub use mgp_transport::http::{client::HttpClientConfig, origin::OriginLimits};

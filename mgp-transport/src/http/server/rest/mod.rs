//! REST: the tools as plain HTTP requests, for programs without MCP.
//!
//! | request | means |
//! |---|---|
//! | `POST /tools/{name}` | calls the tool with the body, a JSON object, as its arguments |
//! | `POST /tools/{name}?dry_run=true` | checks the call without making it |
//! | `GET /tools` | lists the tools that the caller may see |
//! | `GET /openapi.json` | describes the tools that the caller may see |
//! | `GET /docs` | shows them on a page, if that is enabled (feature `http-docs`) |
//!
//! Every request passes the gate of the endpoint, except those for the page's own files. Its message goes to the same service as
//! a request of a stateless revision of MCP.
//!
//! | file | what it holds |
//! |---|---|
//! | `routes.rs` | the addresses |
//! | `call.rs` | the requests, and their answers |
//! | `message.rs` | the message of a request, and the reply of the service |
//! | `envelope.rs` | the body of an answer |
//! | `status.rs` | the table of statuses |
//! | `docs.rs` | the page of documentation |

mod call;
#[cfg(feature = "http-docs")]
mod docs;
mod envelope;
mod message;
mod routes;
mod status;

pub(super) use routes::{open_routes, routes};

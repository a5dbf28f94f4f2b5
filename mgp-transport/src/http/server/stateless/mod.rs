//! The stateless revisions of MCP over HTTP: each POST is independent, and closing its response cancels it.
//!
//! | file | what it does |
//! |---|---|
//! | `post.rs` | takes a request and answers it |
//! | `headers.rs`, `annotated.rs` | check the headers against the body |
//! | `exchange.rs` | the answer of one request, and the messages before it |
//! | `exchanges.rs` | the requests that are in flight, and their limits |

mod annotated;
mod exchange;
mod exchanges;
mod headers;
mod post;

pub use annotated::AnnotatedArguments;
pub(super) use exchanges::Exchanges;
pub use headers::ParamHeaders;
pub(super) use post::{begin, post};

//! The stateless revisions of MCP over HTTP: each POST stands for itself, and closing its response cancels it.
//!
//! | file | what it does |
//! |---|---|
//! | `post.rs` | takes a request and answers it |
//! | `headers.rs`, `annotated.rs` | hold the headers against the body |
//! | `exchange.rs` | where the answer of one request goes, and what comes before it |
//! | `exchanges.rs` | the requests that are under way, and how many there may be |

mod annotated;
mod exchange;
mod exchanges;
mod headers;
mod post;

pub use annotated::AnnotatedArguments;
pub(super) use exchanges::Exchanges;
pub use headers::ParamHeaders;
pub(super) use post::post;

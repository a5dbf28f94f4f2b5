//! The stateless revisions of MCP over HTTP: each POST is independent, and closing its response cancels it.
//!
//! | file | what it does |
//! |---|---|
//! | `requests.rs` | begins a request |
//! | `headers.rs`, `annotated.rs` | check the headers against the body |
//! | `exchange.rs` | the answer of one request, and the messages before it |
//! | `exchanges.rs` | the requests that are in flight, and their limits |

mod annotated;
mod exchange;
mod exchanges;
mod headers;
mod requests;

pub use annotated::AnnotatedArguments;
pub(super) use exchange::Exchange;
pub(super) use exchanges::ExchangeGuard;
pub use headers::ParamHeaders;
pub(super) use headers::check_headers;
pub(super) use requests::StatelessRequests;

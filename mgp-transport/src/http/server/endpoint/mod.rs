//! The endpoint: one path, three methods; and the other paths that are served with it.
//!
//! | file | what it answers |
//! |---|---|
//! | `router.rs` | the routes of all of them, and DELETE |
//! | `post.rs`, `batch.rs` | POST of one message, and of several |
//! | `without_stream.rs` | POST of a client that cannot read streams |
//! | `stateless.rs` | POST of a stateless revision |
//! | `get.rs` | GET: the session's own stream, or the rest of a broken stream |
//! | `http_sse.rs` | both ends of HTTP+SSE |
//! | `health.rs` | the health path |

mod batch;
mod get;
pub(super) mod health;
mod http_sse;
mod post;
mod router;
mod stateless;
mod without_stream;

pub(super) use router::router;
pub(super) use without_stream::answers;

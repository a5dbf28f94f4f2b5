//! §16.7 The tools of a session: the pinned ones, and those that are cached because the session loaded or used them.
//!
//! | file | content |
//! |---|---|
//! | `cache.rs` | the cached tools of one session, in the order of their last use |
//! | `settle.rs` | updates a cache to the catalogue, the caller's rights and the budget |
//! | `handles.rs` | sessions of hosts without a session, by a handle that only its principal can use |
//! | `pinned.rs` | the tools that every session always has |
//! | `service.rs` | lists a session's tools, loads tools into it, and evicts them |

mod cache;
mod handles;
mod pinned;
mod service;
mod settle;

pub use cache::{MAX_TOOLS, ToolSession};
pub use handles::{Handles, OpenSession, SessionBounds};
pub use pinned::PinnedTools;
pub use service::{EvictOutcome, LoadOutcome, MAX_EVICTED, Sessions};
pub use settle::SessionView;

#[cfg(test)]
mod tests;

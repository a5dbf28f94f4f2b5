//! §16.7 The tools of a session: pinned, and cached since the session loaded or used them.
//!
//! | file | what it holds |
//! |---|---|
//! | `cache.rs` | the cached tools of one session, and when each was used last |
//! | `settle.rs` | brings a cache in line with the catalogue, the caller's rights and the budget |
//! | `handles.rs` | sessions of hosts without one of their own, by a handle that only its principal can use |
//! | `pinned.rs` | the tools that are always there |
//! | `service.rs` | what a session has, what is loaded into it, what is taken out |

mod cache;
mod handles;
mod pinned;
mod service;
mod settle;

pub use cache::{MAX_TOOLS, ToolSession};
pub use handles::{Handles, Opened, SessionBounds};
pub use pinned::Pinned;
pub use service::{Evicted, Loaded, MAX_EVICTED, Sessions};
pub use settle::Settled;

#[cfg(test)]
mod tests;

//! The tools that access control allows but that cannot be called: they wait for an operator, or are closed.
//!
//! | file | content |
//! |---|---|
//! | `waiting.rs` | the tools that wait for an operator, by server |
//! | `closed.rs` | the tools and servers that no answer to a question would open, with the reason |

mod closed;
mod waiting;

pub use closed::ClosedTools;
pub(super) use closed::closed_servers;
pub(crate) use closed::{closed_tools, listed};
pub(super) use waiting::{WaitingGroup, lacking};
pub(crate) use waiting::{open as open_waiting, waiting_groups};

/// The maximum number of groups of waiting tools in one answer, because they use tokens of a model's context.
pub(super) const MAX_WAITING: usize = 8;

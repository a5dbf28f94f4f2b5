//! Drives one connection: reads, routes, dispatches, answers. Rules of the seam that concern order and bounds live here.

mod builder;
mod config;
mod dispatch;
mod edge;
mod inbox;
mod inbox_warnings;
mod outlined;
mod pending;
mod refusal_hook;
mod running;
mod shared;
mod stream;
mod stream_pieces;

pub use builder::{Builder, Connection};
pub use config::{Config, EndOfInput, Unreadable};
pub use dispatch::WaitPrediction;
pub use edge::{error_at_edge, error_of};
pub use inbox::Inbox;
pub use refusal_hook::RefusalHook;

pub use crate::outbound::{Body, ConnectionError, Outbound, Outgoing, Route, SendError};

use shared::ConnectionState;

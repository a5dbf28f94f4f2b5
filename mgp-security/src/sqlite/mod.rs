//! SQLite as a store: opens a file that several processes share, and uses it off the runtime's threads.

#[cfg(any(feature = "access", feature = "permission"))]
mod columns;
#[cfg(any(feature = "access", feature = "permission"))]
mod database;
mod open;
mod turn;

#[cfg(any(feature = "access", feature = "permission"))]
pub(crate) use columns::{named, needed, text};
#[cfg(any(feature = "access", feature = "permission"))]
pub(crate) use database::Database;
#[cfg(any(feature = "access", feature = "permission"))]
pub(crate) use open::open;
pub(crate) use open::{BUSY, Synchronous, is_busy, open_in_turn};
pub(crate) use turn::Turn;

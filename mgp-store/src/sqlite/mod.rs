//! SQLite as a store: opens a file that several processes share, and uses it off the runtime's threads.

mod columns;
mod database;
mod lock_timeout;
mod open;
mod turn;

pub use columns::{named, needed, text};
pub use database::Database;
pub use lock_timeout::{lock_timeout, set_lock_timeout};
pub(crate) use open::reason;
pub use open::{OpenError, Synchronous, is_busy, open, open_in_turn};
pub use turn::Turn;

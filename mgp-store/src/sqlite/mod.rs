//! Files of SQLite that several processes share.

mod lock_timeout;
mod open;
mod turn;

pub use lock_timeout::{lock_timeout, set_lock_timeout};
pub(crate) use open::reason;
pub use open::{OpenError, Synchronous, is_busy, open, open_in_turn};
pub use turn::Turn;

//! `logging/setLevel`, and the level from which on a session's client receives log messages. For code that answers clients
//! itself.

mod level;

pub use level::{asked_for, is_wanted, level, set};
pub(crate) use level::{note_level, routes};

//! `logging/setLevel`, and from which level on a session's client wants log messages; for who answers clients itself.

mod level;

pub use level::{asked_for, is_wanted, level, set};
pub(crate) use level::{note_level, routes};

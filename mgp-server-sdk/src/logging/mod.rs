//! `logging/setLevel`: from which level on a session's client wants log messages.

mod level;

pub(crate) use level::{level, set};

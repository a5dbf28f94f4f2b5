//! Records the traffic on the wire.

mod line;
mod log;
mod tee;

pub(super) use line::{Direction, Line};
pub(super) use log::{Wire, answers, received, sent};

//! Relays and records the messages between two programs that communicate over stdin and stdout.
//!
//! A tap is this program once more: `tap RECORD PROGRAM ARGUMENTS` runs the program and passes every line on unchanged. When the tap's
//! own stdin ends, its parent is gone: the program gets a while to notice, and is ended. So no program that is started through a tap
//! outlives the run, whatever happens to the run.

mod command;
mod record;
mod relay;

pub(crate) use command::Command;
pub(crate) use record::{Direction, Record};
pub(crate) use relay::run;

/// The first argument that makes this program a tap.
pub(crate) const COMMAND: &str = "tap";

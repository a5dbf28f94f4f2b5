//! Logs: on stderr, and in the state folder for `mgp logs`.
//!
//! | file | what it holds |
//! |---|---|
//! | `start.rs` | the start of logging, and the log on stderr |
//! | `keep.rs` | takes the lines of a gateway and of its servers from `tracing`, and writes them on a thread of its own |
//! | `files.rs` | the files in the state folder: bounded, one for the gateway and one for each server |
//! | `rates.rs` | how many lines a server may write |
//! | `line.rs` | one line of a log |

mod files;
mod keep;
mod line;
mod rates;
mod start;

pub(crate) use files::{GATEWAY, LogFiles};
pub(crate) use keep::{finish, keep_in};
pub(crate) use line::LogLine;
pub(crate) use start::start;

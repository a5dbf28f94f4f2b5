//! Logs: on stderr, and in the state folder for `mgp logs`.
//!
//! | file | content |
//! |---|---|
//! | `start.rs` | the start of logging, and the log on stderr |
//! | `keep.rs` | collects the lines of a gateway and its servers from `tracing`, and writes them on a separate thread |
//! | `files.rs` | the files in the state folder: bounded, one for the gateway and one for each server |
//! | `rates.rs` | limits the lines of a server |
//! | `line.rs` | one line of a log |

mod files;
mod keep;
mod line;
mod rates;
mod start;

pub(crate) use files::{GATEWAY, LogFiles};
pub(crate) use keep::{finish, keep_in};
pub(crate) use line::LogLine;
pub(crate) use start::{LoggingProcess, start};

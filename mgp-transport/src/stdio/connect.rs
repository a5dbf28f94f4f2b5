//! Starts the connection.

use super::stdin;
use crate::{
    connection::{Builder, Config, Connection, EndOfInput},
    seam::PeerService,
};
use std::time::Duration;

/// The time limit of calls that still run at the end of stdin.
const DRAIN: Duration = Duration::from_secs(30);

/// Returns the bounds of a connection over stdio: at the end of stdin, running calls are finished and answered first.
#[must_use]
pub fn config() -> Config {
    Config { end_of_input: EndOfInput::Drain(DRAIN), ..Config::default() }
}

/// Starts a connection over this process's stdin and stdout. Nothing else may write to stdout.
pub fn connect<S: PeerService>(builder: Builder<S>) -> Connection {
    builder.over(stdin(), tokio::io::stdout())
}

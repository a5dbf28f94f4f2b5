//! Starts the connection.

use super::stdin;
use crate::{
    connection::{Builder, Config, Connection, EndOfInput},
    seam::PeerService,
};
use std::time::Duration;

/// How long calls may run on after the end of stdin.
const DRAIN: Duration = Duration::from_secs(30);

/// The bounds of a connection over stdio: at the end of stdin, what runs is finished and answered first.
#[must_use]
pub fn config() -> Config {
    Config { end_of_input: EndOfInput::Drain(DRAIN), ..Config::default() }
}

/// Starts a connection over this process's stdin and stdout. Nothing else may write to stdout.
pub fn connect<S: PeerService>(builder: Builder<S>) -> Connection {
    builder.over(stdin(), tokio::io::stdout())
}

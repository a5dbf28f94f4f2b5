//! The configuration that a kernel applies, and the parts of the program that complete it.

use crate::ServerSpec;
use mgp_discovery::config::Config;
use parking_lot::Mutex;
use std::path::PathBuf;

/// The initial and the current configuration of a kernel.
#[derive(Debug)]
pub(super) struct AppliedConfiguration {
    pub(super) started: Config,
    pub(super) now: Mutex<Config>,
    /// The servers of the program, which are added to those of every configuration.
    pub(super) servers: Vec<ServerSpec>,
    /// The folder of OAuth tokens.
    pub(super) tokens: Option<PathBuf>,
}

impl AppliedConfiguration {
    pub(super) fn new(started: Config, servers: Vec<ServerSpec>, tokens: Option<PathBuf>) -> Self {
        Self { now: Mutex::new(started.clone()), started, servers, tokens }
    }
}

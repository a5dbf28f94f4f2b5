//! The configuration that a kernel applies, and the parts of the program that complete it.

use super::endpoint::CredentialSources;
use crate::ServerSpec;
use mgp_discovery::config::Config;
use parking_lot::Mutex;

/// The initial and the current configuration of a kernel.
#[derive(Debug)]
pub(super) struct AppliedConfiguration {
    pub(super) started: Config,
    pub(super) now: Mutex<Config>,
    /// The servers of the program, which are added to those of every configuration.
    pub(super) servers: Vec<ServerSpec>,
    pub(super) credentials: CredentialSources,
}

impl AppliedConfiguration {
    pub(super) fn new(started: Config, servers: Vec<ServerSpec>, credentials: CredentialSources) -> Self {
        Self { now: Mutex::new(started.clone()), started, servers, credentials }
    }
}

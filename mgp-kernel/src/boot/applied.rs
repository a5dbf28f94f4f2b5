//! The configuration that a kernel applies, and the parts of the program that complete it.

use super::endpoint::CredentialSources;
use crate::ServerSpec;
use mgp_discovery::config::Config;
use parking_lot::Mutex;
use std::sync::Arc;

/// The initial and the current configuration of a kernel.
#[derive(Debug)]
pub(super) struct AppliedConfiguration {
    pub(super) started: Config,
    pub(super) now: Mutex<Config>,
    /// The changed keys that only a restart applies. Shared with the reports for the operator.
    pub(super) needs_restart: Arc<Mutex<Vec<String>>>,
    /// The servers of the program, which are added to those of every configuration.
    pub(super) servers: Vec<ServerSpec>,
    pub(super) credentials: CredentialSources,
}

impl AppliedConfiguration {
    pub(super) fn new(started: Config, servers: Vec<ServerSpec>, credentials: CredentialSources) -> Self {
        Self {
            now: Mutex::new(started.clone()),
            needs_restart: Arc::default(),
            started,
            servers,
            credentials,
        }
    }
}

//! The configuration that a kernel applies, and the settings of the program that complete it.

use crate::ServerSpec;
use mgp_discovery::config::Config;
use mgp_security::{limits::LimitRule, permission::PermissionRules};
use mgp_types::access::Roles;
use parking_lot::Mutex;
use std::path::PathBuf;

/// The initial and the current configuration of a kernel.
#[derive(Debug)]
pub(crate) struct AppliedConfiguration {
    pub(super) started: Config,
    pub(super) now: Mutex<Config>,
    /// The folder of OAuth tokens.
    pub(super) tokens: Option<PathBuf>,
    pub(super) program: ProgramSettings,
}

impl AppliedConfiguration {
    pub(super) fn new(started: Config, tokens: Option<PathBuf>, program: ProgramSettings) -> Self {
        Self { now: Mutex::new(started.clone()), started, tokens, program }
    }
}

/// The settings that a program makes in addition to the configuration, as far as a reload sets them again. They stay in force when the
/// kernel applies another configuration.
#[derive(Debug, Default, Clone)]
pub(crate) struct ProgramSettings {
    pub(crate) servers: Vec<ServerSpec>,
    /// The rules for permissions, instead of those of the configuration.
    pub(crate) rules: Option<PermissionRules>,
    pub(crate) roles: Roles,
    pub(crate) limits: Vec<LimitRule>,
}

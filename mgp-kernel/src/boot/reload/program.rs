//! The settings that a program makes in addition to the configuration.

use crate::{ServerSpec, boot::settings::Settings};
use mgp_security::{limits::LimitRule, permission::PermissionRules};
use mgp_types::access::Roles;

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

impl Settings {
    /// Adds the settings of the program to those of the configuration, once.
    pub(crate) fn with_program(mut self, program: &ProgramSettings) -> Self {
        self.servers.extend(program.servers.iter().cloned());
        if let Some(rules) = &program.rules {
            self.rules = rules.clone();
        }
        self.roles = std::mem::take(&mut self.roles).and(program.roles.clone());
        self.limits.extend(program.limits.iter().cloned());
        self
    }
}

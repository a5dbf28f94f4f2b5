//! The settings for turning registrations into servers.

use super::Reach;
#[cfg(feature = "child")]
use crate::Endpoint;
use crate::{ConfigurationError, ServerSpec};
use mgp_discovery::{config::KernelConfig, registration::Registration};
#[cfg(feature = "child")]
use mgp_security::confine::{ConfinementPreset, loads_package};
use mgp_types::{access::DefaultPolicy, lifecycle::RestartPolicy};

/// The settings for turning a registration into a server.
#[derive(Debug)]
pub(crate) struct RegistrationSettings {
    pub(crate) reach: Reach,
    /// The kernel's settings, which also apply to registered servers.
    pub(crate) settings: KernelConfig,
    pub(crate) restart: RestartPolicy,
}

impl RegistrationSettings {
    /// Returns the settings of a registered server. Its tools need grants, whatever the kernel's default policy is.
    pub(super) fn spec(&self, registration: &Registration) -> Result<ServerSpec, ConfigurationError> {
        let mut settings = registration.server.settings().into_owned();
        settings.restart_policy = self.restart;
        let endpoint = self.reach.endpoint(registration)?;
        let mut spec = ServerSpec::with_settings(registration.id(), endpoint, &settings, &self.settings);
        spec.trust = Registration::TRUST;
        #[cfg(feature = "child")]
        if registration.by_admin && runs_package(&spec.endpoint) {
            // The operator requested exactly this command.
            spec.confinement.preset = Some(ConfinementPreset::Packages);
            spec.confinement.preset_by_command = true;
        }
        spec.default_policy = DefaultPolicy::OptIn;
        Ok(spec)
    }
}

/// Returns whether a server's command loads a package from a registry and starts it.
#[cfg(feature = "child")]
fn runs_package(endpoint: &Endpoint) -> bool {
    matches!(endpoint, Endpoint::Child(command) if loads_package(command.program(), command.arguments()))
}

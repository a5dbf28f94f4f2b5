//! The settings for turning registrations into servers.

use super::{Reach, Registrar};
#[cfg(feature = "child")]
use crate::kernel::Endpoint;
use crate::kernel::{ConfigurationError, ServerSpec, upstream::KernelFiles};
use mgp_discovery::{config::KernelConfig, registration::Registration};
#[cfg(feature = "child")]
use mgp_security::confine::{ConfinementPreset, loads_package};
use mgp_types::{access::DefaultPolicy, lifecycle::RestartPolicy};
use std::sync::Arc;
use tokio::sync::{Mutex, Semaphore};

/// The registrar of servers, and the settings for turning a registration into a server.
#[derive(Debug)]
pub(crate) struct RegistrationSettings {
    /// The registrar, which adds and removes registrations.
    pub(in crate::kernel) registrar: Registrar,
    pub(super) reach: Reach,
    /// The kernel's settings, which also apply to registered servers.
    pub(super) settings: KernelConfig,
    pub(super) restart: RestartPolicy,
    /// The limit on concurrent calls, over all servers.
    pub(in crate::kernel) calls: Arc<Semaphore>,
    /// The kernel's own files.
    pub(in crate::kernel) kernel_files: KernelFiles,
    /// Held while servers are added or removed, so that no registration becomes a server twice.
    pub(in crate::kernel) turn: Mutex<()>,
}

impl RegistrationSettings {
    pub(in crate::kernel) fn new(
        registrar: Registrar,
        reach: Reach,
        settings: KernelConfig,
        restart: RestartPolicy,
        calls: Arc<Semaphore>,
        kernel_files: KernelFiles,
    ) -> Self {
        Self { registrar, reach, settings, restart, calls, kernel_files, turn: Mutex::new(()) }
    }

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
        spec.kernel_files.clone_from(&self.kernel_files);
        spec.default_policy = DefaultPolicy::OptIn;
        Ok(spec)
    }
}

/// Returns whether a server's command loads a package from a registry and starts it.
#[cfg(feature = "child")]
fn runs_package(endpoint: &Endpoint) -> bool {
    matches!(endpoint, Endpoint::Child(command) if loads_package(command.program(), command.arguments()))
}

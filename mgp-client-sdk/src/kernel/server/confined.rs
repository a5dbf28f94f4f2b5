//! The confinement of a server's process.

use super::{Endpoint, Server, ServerSpec};
use mgp_discovery::config::{ServerConfinement, Text};
#[cfg(unix)]
use mgp_security::confine::EgressRefusals;
use mgp_security::{
    confine::{Confinement, ConfinementSettings, Limits, Profile, ProfileFacts, ProgramFiles, home_folders},
    permission::Permissions,
};
use mgp_transport::child::ChildCommand;
#[cfg(unix)]
use mgp_transport::egress::EgressProxy;
use mgp_types::permission::{Permission, PermissionState, StandardPermission};
use std::{path::Path, sync::Arc};

impl Server {
    /// Returns the profile that the server's process gets when it is started at this moment; `None` if it is no child process.
    #[must_use]
    pub fn confinement(&self) -> Option<Profile> {
        match &self.spec.endpoint {
            Endpoint::Child(command) => Some(profile(&self.spec, command, &self.rights.permissions)),
            _ => None,
        }
    }

    /// Returns the command that starts the server, confined by what is approved at this moment.
    pub(super) fn confined(&self, command: &ChildCommand) -> ChildCommand {
        let profile = profile(&self.spec, command, &self.rights.permissions);
        let command = command.clone();
        let Some(confinement) = Confinement::new(self.id(), profile) else { return command };
        #[cfg(unix)]
        let confinement = {
            let refusals = EgressRefusals::new(self.rights.trail.sink.clone());
            confinement.egress(EgressProxy::new().observer(refusals))
        };
        command.setup(Arc::new(confinement))
    }
}

fn profile(spec: &ServerSpec, command: &ChildCommand, permissions: &Permissions) -> Profile {
    let is_approved = |permission: &StandardPermission| {
        let permission = Permission::Standard(*permission);
        permissions.state(&spec.id, &permission) == PermissionState::Approved
            // The policy approves them as soon as a call needs them.
            || spec.permissions.contains(&permission) && permissions.has_all(&spec.id, [&permission])
    };
    let approved: Vec<_> = StandardPermission::ALL.iter().copied().filter(is_approved).collect();
    let private_folder = spec.state_folder.as_ref().map(|state| state.join("servers").join(&spec.id));
    let cwd = command.working_directory();
    let path = command.variable("PATH");
    Profile::derive(&ProfileFacts {
        trust: spec.trust,
        settings: &spec.confinement,
        approved: &approved,
        program: &ProgramFiles::find(command.program(), command.arguments(), cwd, path.as_deref()),
        private_folder: private_folder.as_deref(),
        state_folder: spec.state_folder.as_deref(),
        // A server's own variables do not say where the user's secrets are.
        homes: &home_folders(),
    })
}

/// Returns the settings of a configuration.
pub(in crate::kernel) fn settings(configured: &ServerConfinement) -> ConfinementSettings {
    let paths = |list: &[Text]| list.iter().map(|text| Path::new(text.value()).to_owned()).collect();
    ConfinementSettings {
        mode: configured.mode,
        preset: configured.preset,
        read: paths(&configured.read),
        write: paths(&configured.write),
        execute: paths(&configured.execute),
        network: configured.network,
        hosts: configured.hosts.clone(),
        ports: configured.ports.clone(),
        limits: Limits {
            memory_mb: configured.memory_mb,
            processes: configured.processes,
            open_files: configured.open_files,
            file_mb: configured.file_mb,
            cpu_secs: configured.cpu_secs,
        },
    }
}

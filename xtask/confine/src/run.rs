//! The ways in which the hostile program is run.

use crate::ground::Ground;
use mgp_security::confine::{
    ConfinementPreset, ConfinementSettings, GrantedPermission, Limits, Profile, ProfileFacts, ProgramFiles,
};
use mgp_types::{
    context::TrustLevel,
    permission::{
        GrantScope,
        StandardPermission::{FilesystemRead, FilesystemWrite, NetworkListen, ShellExecute},
    },
};
use std::error::Error;

/// The limits of the confined runs, lower than the resources that the attempts take. A file may be as large as the hostile
/// program itself with its debug information, which some attempts copy.
const LIMITS: Limits = Limits {
    memory_mb: Some(256),
    processes: Some(48),
    open_files: Some(128),
    file_mb: Some(256),
    cpu_secs: Some(2),
};

/// A way in which the hostile program is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    /// Not confined.
    Free,
    /// Confined, without any permission.
    Plain,
    /// Confined, with hosts that it may reach.
    Hosts,
    /// Confined, with a folder that an approval lets it read, another that the configuration lets it write, and this machine's network.
    Paths,
    /// Confined, with the permissions to read and to write all files, and to listen.
    Files,
    /// Confined as a runner of packages, with the permission to start programs.
    Programs,
}

impl Run {
    pub(crate) const CONFINED: &[Self] =
        &[Self::Plain, Self::Hosts, Self::Paths, Self::Files, Self::Programs];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Free => "not confined",
            Self::Plain => "confined",
            Self::Hosts => "confined with hosts",
            Self::Paths => "confined with two folders and the network",
            Self::Files => "confined with all files and listening",
            Self::Programs => "confined with programs",
        }
    }

    /// Returns the profile of a sandboxed server in this run.
    pub(crate) fn profile(self, program: &str, ground: &Ground) -> Result<Profile, Box<dyn Error>> {
        let mut settings = ConfinementSettings { limits: LIMITS, ..ConfinementSettings::default() };
        let mut granted: Vec<GrantedPermission> = Vec::new();
        match self {
            Self::Free | Self::Plain => {}
            Self::Hosts => {
                let allowed = ground.allowed.to_string();
                let hosts = [&*allowed, "changing.test", "local.test"].map(str::parse);
                settings.hosts = Some(hosts.into_iter().collect::<Result<_, _>>()?);
            }
            Self::Paths => {
                let path = ground.decoy("given/read").to_string_lossy().into_owned();
                granted.push(GrantedPermission {
                    permission: FilesystemRead,
                    scope: Some(GrantScope::Paths(vec![path])),
                });
                settings.write = vec![ground.decoy("given/write")];
                settings.network = Some(true);
            }
            Self::Files => {
                granted.extend([FilesystemRead, FilesystemWrite, NetworkListen].map(GrantedPermission::from));
            }
            Self::Programs => {
                settings.preset = Some(ConfinementPreset::Packages);
                granted.push(ShellExecute.into());
            }
        }
        Ok(Profile::derive(&ProfileFacts {
            trust: TrustLevel::Sandboxed,
            settings: &settings,
            granted: &granted,
            program: &ProgramFiles::find(program, &[], None, None),
            granted_programs: &ProgramFiles::default(),
            private_folder: Some(&ground.private),
            kernel_files: &[ground.decoy("state"), ground.decoy("project/mgp.toml")],
            homes: &[ground.decoy("home")],
        }))
    }
}

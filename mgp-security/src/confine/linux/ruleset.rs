//! The Landlock ruleset of a profile.

use super::{denial::Denial, expand::cover, resolve::ResolvedRule};
use crate::confine::{ConfinementMode, EGRESS_PORT, ListenPorts, PathRule, Profile, Reach};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, make_bitflags,
};
use std::{
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

/// The version of Landlock in Linux 6.12, which also restricts signals and abstract sockets to a confinement.
const VERSION: ABI = ABI::V6;

/// The use of `/proc/self` that every process has.
pub(super) const OWN_PROCESS: u64 = AccessFs::ReadFile as u64 | AccessFs::ReadDir as u64;

/// Returns the ruleset of a profile; `None` if the system has no Landlock, and the profile does not require it.
pub(super) fn ruleset(
    profile: &Profile,
    rules: &[ResolvedRule<'_>],
    denied: &[Denial],
) -> io::Result<Option<OwnedFd>> {
    let mut ruleset = create(profile).map_err(|error| {
        let text = format!("Landlock of Linux 6.12 (ABI 6) is not complete here: {error}");
        io::Error::new(io::ErrorKind::Unsupported, text)
    })?;
    for rule in rules {
        ruleset = add(ruleset, rule, profile, denied)?;
    }
    if let ListenPorts::Only(ports) = &profile.network.listen {
        for port in ports {
            ruleset = ruleset.add_rule(NetPort::new(*port, AccessNet::BindTcp)).map_err(io::Error::other)?;
        }
    }
    if let Reach::Hosts(_) = &profile.network.reach {
        let proxy = NetPort::new(EGRESS_PORT, AccessNet::ConnectTcp);
        ruleset = ruleset.add_rule(proxy).map_err(io::Error::other)?;
    }
    Ok(ruleset.into())
}

fn create(profile: &Profile) -> Result<RulesetCreated, RulesetError> {
    let level = match profile.mode {
        ConfinementMode::Require => CompatLevel::HardRequirement,
        ConfinementMode::BestEffort | ConfinementMode::Off => CompatLevel::BestEffort,
    };
    let mut ruleset = Ruleset::default()
        .set_compatibility(level)
        .handle_access(AccessFs::from_all(VERSION))?
        .scope(Scope::from_all(VERSION))?;
    if profile.network.reach != Reach::Machine {
        ruleset = ruleset.handle_access(AccessNet::ConnectTcp)?;
    }
    if profile.network.listen != ListenPorts::Any {
        ruleset = ruleset.handle_access(AccessNet::BindTcp)?;
    }
    ruleset.create()
}

fn add(
    mut ruleset: RulesetCreated,
    ResolvedRule { rule, path }: &ResolvedRule<'_>,
    profile: &Profile,
    denied: &[Denial],
) -> io::Result<RulesetCreated> {
    let is_private = profile.private_folder.as_ref() == Some(&rule.path);
    let denied = denied.iter().filter(|denial| !is_private && denial.holds_for(rule, path));
    let denied: Vec<PathBuf> = denied.map(|denial| denial.path.clone()).collect();
    let cover = cover(path, &denied)?;
    for path in &cover.whole {
        ruleset = permit(ruleset, path, rights(rule))?;
    }
    for path in &cover.listed {
        ruleset = permit(ruleset, path, AccessFs::ReadDir.into())?;
    }
    Ok(ruleset)
}

fn rights(rule: &PathRule) -> BitFlags<AccessFs> {
    const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir});
    // Except making sockets and devices.
    const WRITE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
        WriteFile | Truncate | RemoveDir | RemoveFile | MakeDir | MakeReg | MakeFifo | MakeSym | Refer
    });
    let mut rights = READ;
    if rule.access.write {
        rights |= WRITE;
    }
    if rule.access.execute {
        rights |= AccessFs::Execute;
    }
    rights
}

fn permit(ruleset: RulesetCreated, path: &Path, rights: BitFlags<AccessFs>) -> io::Result<RulesetCreated> {
    // A file may vanish while a rule is made. A file that the kernel may not open is not available to a server either.
    let (Ok(fd), Ok(metadata)) = (PathFd::new(path), path.metadata()) else { return Ok(ruleset) };
    let of_files = AccessFs::from_file(VERSION);
    let rights = if metadata.is_dir() { rights } else { rights & of_files };
    ruleset.add_rule(PathBeneath::new(fd, rights)).map_err(io::Error::other)
}

//! The Landlock ruleset of a profile.

use super::{calls, expand::cover};
use crate::confine::{
    EGRESS_PORT, LandlockAbi, ListenPorts, PathRule, Profile, Reach, denial::Denial, resolve::ResolvedRule,
};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, make_bitflags,
};
use std::{
    io,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

/// The use of `/proc/self` that every process has.
pub(super) const OWN_PROCESS: u64 = AccessFs::ReadFile as u64 | AccessFs::ReadDir as u64;

/// Returns the number of the version of Landlock on this machine; `None` if it has none.
pub(in crate::confine) fn landlock_abi() -> Option<u8> {
    let number = calls::landlock_abi().ok()?;
    Some(u8::try_from(number).unwrap_or(u8::MAX))
}

/// Returns the ruleset of a profile in a version of Landlock that this machine has.
pub(super) fn ruleset(
    profile: &Profile,
    version: LandlockAbi,
    rules: &[ResolvedRule<'_>],
    denied: &[Denial],
) -> io::Result<Option<OwnedFd>> {
    let abi = ABI::from(i32::from(version.number()));
    let mut ruleset = create(profile, abi).map_err(|error| {
        let text = format!("Landlock {version} of Linux {} is not complete here: {error}", version.linux());
        io::Error::new(io::ErrorKind::Unsupported, text)
    })?;
    for rule in rules {
        ruleset = add(ruleset, rule, abi, profile, denied)?;
    }
    if version < LandlockAbi::TCP {
        return Ok(ruleset.into());
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

fn create(profile: &Profile, abi: ABI) -> Result<RulesetCreated, RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(abi))?;
    let scope = Scope::from_all(abi);
    if !scope.is_empty() {
        ruleset = ruleset.scope(scope)?;
    }
    let tcp = AccessNet::from_all(abi);
    if profile.network.reach != Reach::Machine && tcp.contains(AccessNet::ConnectTcp) {
        ruleset = ruleset.handle_access(AccessNet::ConnectTcp)?;
    }
    if profile.network.listen != ListenPorts::Any && tcp.contains(AccessNet::BindTcp) {
        ruleset = ruleset.handle_access(AccessNet::BindTcp)?;
    }
    ruleset.create()
}

fn add(
    mut ruleset: RulesetCreated,
    ResolvedRule { rule, path }: &ResolvedRule<'_>,
    abi: ABI,
    profile: &Profile,
    denied: &[Denial],
) -> io::Result<RulesetCreated> {
    let is_private = profile.private_folder.as_ref() == Some(&rule.path);
    let denied = denied.iter().filter(|denial| !is_private && denial.holds_for(rule, path));
    let denied: Vec<PathBuf> = denied.map(|denial| denial.path.clone()).collect();
    let cover = cover(path, &denied)?;
    for path in &cover.whole {
        ruleset = permit(ruleset, path, abi, rights(rule))?;
    }
    for path in &cover.listed {
        ruleset = permit(ruleset, path, abi, AccessFs::ReadDir.into())?;
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

fn permit(
    ruleset: RulesetCreated,
    path: &Path,
    abi: ABI,
    rights: BitFlags<AccessFs>,
) -> io::Result<RulesetCreated> {
    // A file may vanish while a rule is made. A file that the kernel may not open is not available to a server either.
    let (Ok(fd), Ok(metadata)) = (PathFd::new(path), path.metadata()) else { return Ok(ruleset) };
    let of_kind = if metadata.is_dir() { AccessFs::from_all(abi) } else { AccessFs::from_file(abi) };
    ruleset.add_rule(PathBeneath::new(fd, rights & of_kind)).map_err(io::Error::other)
}

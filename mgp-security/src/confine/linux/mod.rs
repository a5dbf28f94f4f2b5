//! Confinement on Linux.

mod calls;
mod denial;
mod egress;
mod expand;
mod filter;
mod home;
mod identity;
mod init;
mod limits;
mod members;
mod mounts;
mod prepare;
mod report;
mod resolve;
mod ruleset;
mod start;

pub(super) use home::listed_home;
pub(super) use limits::prepare_limits;
pub(super) use prepare::prepare;

/// Returns whether this process runs as root.
pub(super) fn is_root() -> bool {
    calls::ids().0 == 0
}

/// Returns the number of the version of Landlock on this machine; `None` if it has none.
pub(super) fn landlock_abi() -> Option<u8> {
    let number = calls::landlock_abi().ok()?;
    Some(u8::try_from(number).unwrap_or(u8::MAX))
}

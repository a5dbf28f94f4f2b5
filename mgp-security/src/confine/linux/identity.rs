//! The user of a confined process, in a separate user namespace.

use super::calls;
use std::{
    ffi::{CStr, c_int},
    io::{self, Write},
    os::fd::{AsFd, OwnedFd},
};

/// The user of a server whose kernel runs as root: limits on processes do not hold for root.
const NOBODY: u32 = 65534;

/// The capabilities to bypass and to change the permissions of files, only of the users that the namespace has: root and nobody.
const OF_FILES: [u32; 2] = [1, 3];

/// The user of a confined process.
#[derive(Debug)]
pub(super) enum Identity {
    /// The user of the kernel, who is mapped to itself.
    Own { users: Vec<u8>, groups: Vec<u8> },
    /// The user nobody, who may still use root's files within the confinement.
    Nobody,
}

impl Identity {
    pub(super) fn of_process() -> Self {
        let map = |id: u32| format!("{id} {id} 1").into_bytes();
        match calls::ids() {
            (0, _) => Self::Nobody,
            (user, group) => Self::Own { users: map(user), groups: map(group) },
        }
    }

    /// Enters new namespaces, including one of users, with the user mapped. Called in the child.
    pub(super) fn enter(&self, namespaces: c_int) -> io::Result<()> {
        match self {
            Self::Own { users, groups } => {
                calls::unshare(namespaces)?;
                put(c"/proc/self/setgroups", b"deny")?;
                put(c"/proc/self/uid_map", users)?;
                put(c"/proc/self/gid_map", groups)
            }
            Self::Nobody => enter_mapped(namespaces),
        }
    }

    /// Drops the privileges that the user no longer needs. Called in the child, after the mounts.
    pub(super) fn settle(&self) -> io::Result<()> {
        match self {
            Self::Own { .. } => Ok(()),
            Self::Nobody => calls::become_user(NOBODY, OF_FILES),
        }
    }
}

/// Returns whether this process runs as root.
pub(in crate::confine) fn is_root() -> bool {
    calls::ids().0 == 0
}

fn put(path: &CStr, text: &[u8]) -> io::Result<()> {
    calls::write(calls::open(path, libc::O_WRONLY)?.as_fd(), text)
}

/// Enters new namespaces while a process outside them maps root and nobody: from within, only one user may be mapped.
fn enter_mapped(namespaces: c_int) -> io::Result<()> {
    let (here, mapper) = calls::pair()?;
    let this = calls::process_id();
    let Some(process) = calls::fork()? else {
        drop(here);
        if calls::read_byte(mapper.as_fd()).is_ok_and(|byte| byte.is_some()) && map(this).is_ok() {
            let _ = calls::write(mapper.as_fd(), b"y");
        }
        calls::exit(0)
    };
    drop(mapper);
    let entered = calls::unshare(namespaces);
    let asked = if entered.is_ok() { calls::write(here.as_fd(), b"y") } else { Ok(()) };
    let mapped = entered.and(asked).and_then(|()| answer(&here));
    drop(here);
    calls::reap(process);
    mapped
}

fn answer(here: &OwnedFd) -> io::Result<()> {
    // No answer: the mapping process failed, and its error stayed there.
    calls::read_byte(here.as_fd())?.map(drop).ok_or_else(|| io::Error::from_raw_os_error(libc::EPERM))
}

/// Maps root and nobody in the namespace of a process.
fn map(process: i64) -> io::Result<()> {
    const USERS: &[u8] = b"0 0 1\n65534 65534 1\n";
    for file in ["uid_map", "gid_map"] {
        let mut path = [0u8; 64];
        let mut rest = &mut path[..];
        write!(rest, "/proc/{process}/{file}\0")?;
        let path = CStr::from_bytes_until_nul(&path).map_err(|_| io::ErrorKind::InvalidInput)?;
        put(path, USERS)?;
    }
    Ok(())
}

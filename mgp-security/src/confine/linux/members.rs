//! The processes of a confinement, which end with it.
//!
//! A process that starts a session or a group of its own is missed by a signal to the group of the server. It stays in the server's
//! namespaces, because no confined process can enter others.

use super::calls;
use std::{
    collections::HashSet,
    fs::{self, File},
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::MetadataExt,
    },
    sync::OnceLock,
};

/// A namespace that every process of a confinement is in until it ends.
const NAMESPACE: &str = "ns/ipc";

/// The most looks for processes that are left.
const MAX_LOOKS: usize = 1000;

/// The looks in a row that find none before there is none.
const LAST_LOOKS: usize = 2;

/// The tries to find the newest process in each look.
const NEWEST: usize = 20;

/// The processes of a confinement. Dropping it kills those that are left.
#[derive(Debug)]
pub(super) struct Members {
    parent: OwnedFd,
    child: OwnedFd,
    /// The namespace of the processes, held open so that no later one gets its number. Unset before the program has started.
    namespace: OnceLock<File>,
}

impl Members {
    pub(super) fn new() -> io::Result<Self> {
        let (parent, child) = calls::pair()?;
        calls::set_nonblocking(parent.as_fd())?;
        Ok(Self { parent, child, namespace: OnceLock::new() })
    }

    /// Hands the namespace to the parent. Called in the child, in a namespace of its own.
    pub(super) fn tell(&self) -> io::Result<()> {
        let namespace = calls::open(c"/proc/self/ns/ipc", libc::O_RDONLY)?;
        calls::send_descriptor(self.child.as_fd(), namespace.as_fd())
    }

    /// Learns the namespace. Called in the parent, when the child's program has started.
    pub(super) fn learn(&self) -> io::Result<()> {
        let namespace = calls::receive_descriptor(self.parent.as_fd())?;
        self.namespace.set(namespace.into()).map_err(|_| io::ErrorKind::AlreadyExists.into())
    }
}

impl Drop for Members {
    fn drop(&mut self) {
        let Some(namespace) = self.namespace.get() else { return };
        if let Err(error) = namespace.metadata().map(|file| number(&file)).and_then(end) {
            tracing::warn!(%error, "failed to end processes that a confined server left behind");
        }
    }
}

/// The number of a namespace, with that of the file system of namespaces.
type Number = (u64, u64);

fn number(file: &fs::Metadata) -> Number {
    (file.dev(), file.ino())
}

/// Kills all processes in a namespace.
fn end(namespace: Number) -> io::Result<()> {
    if number(&fs::metadata(format!("/proc/self/{NAMESPACE}"))?) == namespace {
        return Err(io::Error::other("the server has no namespaces of its own"));
    }
    let mut killed = HashSet::new();
    let mut without = 0;
    // A process with a signal to end can start no other. So one that is missed is one that became another while it was looked for.
    for _ in 0..MAX_LOOKS {
        let before = killed.len();
        for entry in fs::read_dir("/proc")? {
            let process = entry?.file_name().to_str().and_then(|name| name.parse().ok());
            killed.extend(process.filter(|process| kill_member(*process, namespace)));
        }
        for _ in 0..NEWEST {
            killed.extend(newest()?.filter(|process| kill_member(*process, namespace)));
        }
        without = if killed.len() == before { without + 1 } else { 0 };
        if without == LAST_LOOKS {
            return Ok(());
        }
    }
    Err(io::Error::other("they start others without end"))
}

/// Returns the ids around that of the process that was started last.
fn newest() -> io::Result<impl Iterator<Item = i64>> {
    let load = fs::read_to_string("/proc/loadavg")?;
    let last = load.split_ascii_whitespace().last().and_then(|last| last.parse().ok());
    let last: i64 = last.ok_or(io::ErrorKind::InvalidData)?;
    Ok((last.saturating_sub(1)..=last.saturating_add(1)).rev())
}

/// Kills a process if it is in a namespace. Returns whether it is.
fn kill_member(process: i64, namespace: Number) -> bool {
    // Opened first: its id may be another process's later.
    let Ok(opened) = calls::open_process(process) else { return false };
    // A process that has ended is in no namespace.
    let file = format!("/proc/{process}/{NAMESPACE}");
    let is_member = fs::metadata(file).is_ok_and(|file| number(&file) == namespace);
    is_member && calls::kill(opened.as_fd()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_without_processes_has_come_to_its_end_and_that_of_this_process_is_left_alone() {
        end((0, 0)).unwrap();
        let own = number(&fs::metadata(format!("/proc/self/{NAMESPACE}")).unwrap());
        assert!(end(own).is_err());
    }
}

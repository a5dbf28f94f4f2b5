//! The processes of a confinement, which end with it.
//!
//! A signal to the server's process group misses a process that starts its own session or group. The process stays in the server's
//! namespaces, because no confined process can enter others.

use super::calls;
use std::{
    collections::HashSet,
    fs::{self, File},
    io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::fs::MetadataExt,
    },
    sync::OnceLock,
};

/// A namespace that every process of a confinement is in until it ends.
const NAMESPACE: &str = "ns/ipc";

/// The most searches for remaining processes.
const MAX_LOOKS: usize = 1000;

/// The consecutive searches that must find no process before the end.
const LAST_LOOKS: usize = 2;

/// The attempts to find the newest process in each search.
const NEWEST: usize = 20;

/// The processes of a confinement. Dropping it kills the remaining ones.
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

    /// Passes the namespace to the parent. Called in the child, in its own namespace.
    pub(super) fn tell(&self) -> io::Result<()> {
        pass_namespace(self.child())
    }

    /// Returns the end of the child, to which the namespace is passed.
    pub(super) fn child(&self) -> BorrowedFd<'_> {
        self.child.as_fd()
    }

    /// Receives the namespace. Called in the parent, when the child's program has started.
    pub(super) fn learn(&self) -> io::Result<()> {
        let namespace = calls::receive_descriptor(self.parent.as_fd())?;
        self.namespace.set(namespace.into()).map_err(|_| io::ErrorKind::AlreadyExists.into())
    }
}

/// Passes the namespace of this process to the parent.
pub(super) fn pass_namespace(to: BorrowedFd<'_>) -> io::Result<()> {
    let namespace = calls::open(c"/proc/self/ns/ipc", libc::O_RDONLY)?;
    calls::send_descriptor(to, namespace.as_fd())
}

impl Drop for Members {
    fn drop(&mut self) {
        let Some(namespace) = self.namespace.get() else { return };
        if let Err(error) = namespace.metadata().map(|file| number(&file)).and_then(end) {
            tracing::warn!(%error, "failed to end processes that a confined server left behind");
        }
    }
}

/// The number of a namespace, and that of the file system of namespaces.
type Number = (u64, u64);

fn number(file: &fs::Metadata) -> Number {
    (file.dev(), file.ino())
}

/// Kills all processes in a namespace.
fn end(namespace: Number) -> io::Result<()> {
    if number(&fs::metadata(format!("/proc/self/{NAMESPACE}"))?) == namespace {
        return Err(io::Error::other("the server has no separate namespaces"));
    }
    let mut killed = HashSet::new();
    let mut without = 0;
    // A process with a pending signal cannot start another. So a missed process is one that another process started during the search.
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

/// Returns the ids around that of the most recently started process.
fn newest() -> io::Result<impl Iterator<Item = i64>> {
    let load = fs::read_to_string("/proc/loadavg")?;
    let last = load.split_ascii_whitespace().last().and_then(|last| last.parse().ok());
    let last: i64 = last.ok_or(io::ErrorKind::InvalidData)?;
    Ok((last.saturating_sub(1)..=last.saturating_add(1)).rev())
}

/// Kills a process if it is in a namespace. Returns whether it is.
fn kill_member(process: i64, namespace: Number) -> bool {
    // Opened first: its id may belong to another process later.
    let Ok(opened) = calls::open_process(process) else { return false };
    // An ended process is in no namespace.
    let file = format!("/proc/{process}/{NAMESPACE}");
    let is_member = fs::metadata(file).is_ok_and(|file| number(&file) == namespace);
    is_member && calls::kill(opened.as_fd()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_namespace_without_processes_has_ended() {
        end((0, 0)).unwrap();
        let own = number(&fs::metadata(format!("/proc/self/{NAMESPACE}")).unwrap());
        assert!(end(own).is_err());
    }
}

//! Sets limits of resources in the child, whether or not the process is confined.

use super::calls;
use crate::confine::Limits;
use mgp_transport::seam::{PreparedChild, SetupInChild};
use std::{io, sync::Arc};

/// Prepares one start of a process that has limits and is not confined.
pub(in crate::confine) fn prepare_limits(limits: Limits) -> PreparedChild {
    let in_child = Arc::new(LimitedStart(limits));
    PreparedChild {
        isolated: false,
        env: Vec::new(),
        cwd: None,
        ends_with_parent: false,
        through: None,
        in_child,
    }
}

/// Sets all limits except that of processes: without a namespace, all processes of the user would count. Called in the child.
pub(super) fn set(limits: &Limits) -> io::Result<()> {
    const MIB: u64 = 1 << 20;
    if let Some(mib) = limits.memory_mb {
        // Memory that is mapped but not writable does not count: language runtimes reserve a lot of it.
        calls::limit(libc::RLIMIT_DATA, mib.saturating_mul(MIB))?;
    }
    if let Some(files) = limits.open_files {
        calls::limit(libc::RLIMIT_NOFILE, files)?;
    }
    if let Some(mib) = limits.file_mb {
        calls::limit(libc::RLIMIT_FSIZE, mib.saturating_mul(MIB))?;
    }
    if let Some(seconds) = limits.cpu_secs {
        // At the soft limit, the signal shows why the process ends. If the process continues, it is killed at the hard limit.
        calls::limit_to(libc::RLIMIT_CPU, seconds, seconds.saturating_add(1))?;
    }
    Ok(())
}

/// One start of a process that has limits and is not confined.
#[derive(Debug)]
struct LimitedStart(Limits);

// SAFETY: `apply` makes system calls on numbers. It neither allocates nor takes a lock.
#[expect(unsafe_code, reason = "implementing the trait is unsafe")]
unsafe impl SetupInChild for LimitedStart {
    fn apply(&self) -> io::Result<()> {
        set(&self.0)
    }

    fn conclude(&self, started: io::Result<()>) -> io::Result<()> {
        started
    }
}

//! The role of this kernel in a server's process.

use super::guests::Guests;
use crate::upstream::{AfterEnd, EndCommand};
#[cfg(all(unix, feature = "child"))]
use futures_util::FutureExt;
use mgp_lifecycle::restart::Exit;
use mgp_types::lifecycle::{SharedReport, ShutdownReason};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// The sharing of a server's process, from the view of one kernel.
#[derive(Debug, Default)]
pub(crate) struct SharedUse {
    /// The role of this kernel since it last connected; `None` for a process that is not shared.
    role: Mutex<Option<Role>>,
    /// The other kernels, while this one owns the process.
    pub(crate) guests: Guests,
    /// Notified when the owner announces the end of the process.
    owner_leaves: Notify,
}

/// The reason of a guest that leaves because the owner ends the process.
const REASON: &str = "owner_leaves";

/// The role of a kernel in a shared process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(all(unix, feature = "child")), expect(dead_code))]
enum Role {
    /// This kernel owns the process.
    Owner,
    /// Another kernel owns the process.
    Guest {
        /// The process id of that kernel, if the system reveals it.
        owner_pid: Option<u32>,
    },
}

impl SharedUse {
    /// Sets the role of this kernel.
    pub(in crate::upstream) fn take(&self, seat: &Seat) {
        *self.role.lock() = seat.role();
    }

    /// Forgets an announcement of the previous owner, before this kernel connects to the next one.
    #[cfg(all(unix, feature = "child"))]
    pub(in crate::upstream) fn greets(&self) {
        let _ = self.owner_leaves.notified().now_or_never();
    }

    /// Notes that the owner is ending the process. The owner may announce this while this kernel is still reading the
    /// server's lists.
    pub(in crate::upstream) fn note_owner_leaves(&self) {
        self.owner_leaves.notify_one();
    }

    /// Waits until the owner announces the end of the process, and returns the command to leave it.
    pub(in crate::upstream) async fn owner_leaves(&self) -> EndCommand {
        loop {
            self.owner_leaves.notified().await;
            // A server can send the same notification, but owns nothing.
            if self.is_guest() {
                break;
            }
        }
        EndCommand { reason: ShutdownReason::Other(REASON.into()), limit: None, then: AfterEnd::Start }
    }

    /// Returns whether this kernel left a process because its owner ended it, and connects to the next at once.
    pub(in crate::upstream) fn moves_on(&self, exit: &Exit) -> bool {
        self.is_guest() && matches!(exit, Exit::Requested(ShutdownReason::Other(why)) if &**why == REASON)
    }

    /// Returns whether this kernel has to look for the process again after an exit. Losing the kernel that owns the process does not end the
    /// server, whatever the server's policy.
    pub(in crate::upstream) fn looks_again(&self, exit: &Exit) -> bool {
        self.is_guest() && matches!(exit, Exit::Failed | Exit::Away) || self.moves_on(exit)
    }

    /// Returns whether another kernel owns the process.
    pub(crate) fn is_guest(&self) -> bool {
        matches!(*self.role.lock(), Some(Role::Guest { .. }))
    }

    /// Returns the report for operators; `None` for a process that is not shared.
    pub(crate) fn report(&self) -> Option<SharedReport> {
        let role = (*self.role.lock())?;
        Some(match role {
            Role::Owner => SharedReport {
                owner: true,
                owner_pid: Some(std::process::id()),
                guests: self.guests.count() as u64,
            },
            Role::Guest { owner_pid } => SharedReport { owner: false, owner_pid, guests: 0 },
        })
    }
}

/// The role in which a kernel has just connected to a server's process.
#[derive(Debug)]
pub(in crate::upstream) enum Seat {
    /// The process only serves this kernel.
    Alone,
    /// Another kernel owns the process.
    #[cfg(all(unix, feature = "child"))]
    Guest {
        /// The process id of that kernel, if the system reveals it.
        owner_pid: Option<u32>,
    },
    /// This kernel owns the process, and others may use it.
    #[cfg(all(unix, feature = "child"))]
    Owner(super::place::SharedPlace),
}

impl Seat {
    fn role(&self) -> Option<Role> {
        match self {
            Self::Alone => None,
            #[cfg(all(unix, feature = "child"))]
            Self::Guest { owner_pid } => Some(Role::Guest { owner_pid: *owner_pid }),
            #[cfg(all(unix, feature = "child"))]
            Self::Owner(_) => Some(Role::Owner),
        }
    }
}

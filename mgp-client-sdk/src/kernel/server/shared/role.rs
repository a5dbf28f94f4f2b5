//! The part that this kernel has in a server's process.

use super::guests::Guests;
use crate::kernel::server::{AfterEnd, EndCommand, Link, Server};
#[cfg(all(unix, feature = "child"))]
use futures_util::FutureExt;
use mgp_lifecycle::restart::Exit;
use mgp_types::lifecycle::{SharedReport, ShutdownReason};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::Notify;

/// The use of a server's process by several kernels, as one of them sees it.
#[derive(Debug, Default)]
pub(in crate::kernel) struct SharedUse {
    /// The part of this kernel since it last connected; `None` for a process that nobody else can use.
    role: Mutex<Option<Role>>,
    /// The other kernels, while this one owns the process.
    pub(in crate::kernel::server) guests: Guests,
    /// Notified when the owner says that it ends the process.
    owner_leaves: Notify,
}

/// The reason for which a guest leaves the process: its owner ends it.
const REASON: &str = "owner_leaves";

/// The part of a kernel in a process that several kernels use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(all(unix, feature = "child")), expect(dead_code))]
enum Role {
    /// The process is this kernel's own.
    Owner,
    /// The process is another kernel's.
    Guest {
        /// The id of that kernel's process, where the system tells it.
        owner_pid: Option<u32>,
    },
}

impl SharedUse {
    /// Notes the part that this kernel has from now on.
    pub(in crate::kernel::server) fn take(&self, seat: &Seat) {
        *self.role.lock() = seat.role();
    }

    /// Forgets what an owner before said, before this kernel greets the next one.
    #[cfg(all(unix, feature = "child"))]
    pub(super) fn greets(&self) {
        let _ = self.owner_leaves.notified().now_or_never();
    }

    /// Notes that the owner ends the process. It may say so while this kernel still lists what the server has.
    pub(in crate::kernel::server) fn note_owner_leaves(&self) {
        self.owner_leaves.notify_one();
    }

    /// Waits until the owner says that it ends the process, and returns the command to leave it.
    pub(in crate::kernel::server) async fn owner_leaves(&self) -> EndCommand {
        loop {
            self.owner_leaves.notified().await;
            // A server can send the same notification, and owns nothing.
            if self.is_guest() {
                break;
            }
        }
        EndCommand { reason: ShutdownReason::Other(REASON.into()), limit: None, then: AfterEnd::Start }
    }

    /// Returns whether this kernel left a process because its owner ends it, and goes on to the next at once.
    pub(in crate::kernel::server) fn moves_on(&self, exit: &Exit) -> bool {
        self.is_guest() && matches!(exit, Exit::Requested(ShutdownReason::Other(why)) if &**why == REASON)
    }

    /// Returns whether this kernel is to look for the process again after an end. The loss of another kernel that owns the process is no end
    /// of the server, whatever the server's policy.
    pub(in crate::kernel::server) fn looks_again(&self, exit: &Exit) -> bool {
        self.is_guest() && matches!(exit, Exit::Failed | Exit::Away) || self.moves_on(exit)
    }

    /// Returns whether the process is another kernel's.
    pub(in crate::kernel) fn is_guest(&self) -> bool {
        matches!(*self.role.lock(), Some(Role::Guest { .. }))
    }

    /// Returns the report for operators; `None` for a process that nobody else can use.
    pub(in crate::kernel) fn report(&self) -> Option<SharedReport> {
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

/// The place from which a kernel that has just connected uses a server's process.
#[derive(Debug)]
pub(in crate::kernel::server) enum Seat {
    /// The process serves this kernel alone.
    Alone,
    /// The process is another kernel's.
    #[cfg(all(unix, feature = "child"))]
    Guest {
        /// The id of that kernel's process, where the system tells it.
        owner_pid: Option<u32>,
    },
    /// The process is this kernel's own, and others may use it.
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

/// The door of a kernel that owns a server's process, at which other kernels come in while this value lives. Any other kernel has none.
#[derive(Debug)]
#[must_use = "the door is closed when this is dropped"]
pub(in crate::kernel::server) struct Door {
    #[cfg(all(unix, feature = "child"))]
    _open: Option<super::door::OwnersDoor>,
}

impl Seat {
    /// Lets other kernels in if the process is this kernel's own.
    pub(in crate::kernel::server) fn open(self, server: &Arc<Server>, link: &Arc<Link>) -> Door {
        #[cfg(all(unix, feature = "child"))]
        return Door {
            _open: match self {
                Self::Owner(place) => super::door::OwnersDoor::open(place, server, link),
                Self::Alone | Self::Guest { .. } => None,
            },
        };
        #[cfg(not(all(unix, feature = "child")))]
        {
            let (Self::Alone, _, _) = (self, server, link);
            Door {}
        }
    }
}

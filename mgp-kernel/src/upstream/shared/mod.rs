//! Server processes that several kernels share: one kernel owns the process, the others are its guests and use it through a
//! socket. [`sharing`](super::sharing) connects to such processes, and admits guests.
//!
//! | file | content |
//! |---|---|
//! | `unshared` | the reasons why a server with `shared = true` is not shared |
//! | `place` | the lock and the socket of a process in the state folder |
//! | `guests` | the guests of an owner, and the server's notifications to them |
//! | `role` | the role of this kernel |

mod guests;
#[cfg(all(unix, feature = "child"))]
mod place;
mod role;
#[cfg(test)]
#[cfg(all(unix, feature = "child"))]
mod tests;
mod unshared;

pub(super) use guests::OWNER_LEAVES;
#[cfg(all(unix, feature = "child"))]
pub(super) use guests::{EntryRefusal, GuestMark, GuestResources};
pub(crate) use guests::{ask_guest, is_guest};
#[cfg(all(unix, feature = "child"))]
pub(super) use place::{Entry, SharedPlace};
pub(super) use role::Seat;
pub(crate) use role::SharedUse;
pub(super) use unshared::settle;

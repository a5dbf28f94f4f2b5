//! Server processes that several kernels share: one kernel owns the process, the others are its guests and use it through a
//! socket.
//!
//! | file | content |
//! |---|---|
//! | `unshared` | the reasons why a server with `shared = true` is not shared |
//! | `digest` | the name of a process: a digest of everything that defines it |
//! | `place` | the lock and the socket of a process in the state folder |
//! | `connect` | connects to a process, as the owner or as a guest |
//! | `door` | the owner's socket, to which guests connect |
//! | `guest_service`, `forward` | answer or forward the requests of a guest |
//! | `guests` | the guests of an owner, and the server's notifications to them |
//! | `role` | the role of this kernel |
//!
//! A guest's calls were judged by the guest's own gates. The owner does not judge them, and forwards nothing about them to its own
//! hosts.

#[cfg(all(unix, feature = "child"))]
mod connect;
#[cfg(all(unix, feature = "child"))]
mod digest;
#[cfg(all(unix, feature = "child"))]
mod door;
#[cfg(all(unix, feature = "child"))]
mod forward;
#[cfg(all(unix, feature = "child"))]
mod guest_service;
mod guests;
#[cfg(all(unix, feature = "child"))]
mod place;
mod role;
#[cfg(test)]
#[cfg(all(unix, feature = "child"))]
mod tests;
mod unshared;

#[cfg(all(unix, feature = "child"))]
pub(super) use connect::connect;
pub(super) use guests::OWNER_LEAVES;
pub(crate) use guests::{ask_guest, is_guest};
pub(super) use role::Seat;
pub(crate) use role::SharedUse;
pub(super) use unshared::settle;

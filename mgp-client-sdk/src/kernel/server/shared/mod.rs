//! Servers whose process several kernels use: one kernel owns the process, the others are its guests and use it through a socket.
//!
//! | file | what it holds |
//! |---|---|
//! | `unshared` | the reasons for which a server that says `shared = true` is not shared |
//! | `digest` | the name of a process: a digest of everything that makes it |
//! | `place` | the lock and the socket of a process in the state folder |
//! | `connect` | the way in, as the owner or as a guest |
//! | `door` | the owner's socket, at which guests connect |
//! | `guest_service`, `forward` | the requests of a guest, on their way to the server |
//! | `guests` | the guests of an owner, and what the server tells them |
//! | `role` | the part that this kernel has |
//!
//! A guest's calls were judged by the guest's own gates. The owner judges none of them, and nothing of them reaches the owner's hosts.

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
pub(super) use guests::{OWNER_LEAVES, ask_guest, is_guest};
pub(super) use role::Seat;
pub(in crate::kernel) use role::SharedUse;
pub(super) use unshared::settle;

//! Connects to server processes that several kernels share, and admits guests to a process that this kernel owns.
//!
//! | file | content |
//! |---|---|
//! | `digest` | the name of a process: a digest of everything that defines it |
//! | `connect` | connects to a process, as the owner or as a guest |
//! | `door` | the owner's socket, to which guests connect |
//! | `guest_service`, `forward` | answer or forward the requests of a guest |
//!
//! A guest's calls were judged by the guest's own gates. The owner does not judge them, and forwards nothing about them to its own
//! hosts.

mod connect;
mod digest;
mod door;
mod forward;
mod guest_service;

pub(super) use connect::connect;
pub(super) use door::OwnersDoor;

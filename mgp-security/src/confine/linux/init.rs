//! The PID namespace of a confined process.
//!
//! Landlock restricts signals from ABI 6 on. Below, a process that has the same user as others cannot signal them only if it cannot name
//! them: in its PID namespace, it has numbers only for its own processes. A process cannot enter a new PID namespace itself; only
//! the processes that it starts do. So three processes hold one server:
//!
//! 1. The watcher is the process that the gateway started. It ends as the server ended.
//! 2. Init is the first process of the namespace. Signals of the server do not reach it. Its end is the end of all processes in the namespace.
//! 3. The server is started by init, which reaps its orphans.
//!
//! The watcher and init keep no descriptors of the gateway, and end with it. They share its memory until one of them changes it.

use super::calls;
use std::{
    ffi::{CStr, c_int, c_long},
    io,
    os::fd::{AsFd, OwnedFd},
};

/// The number of processes that hold the server.
pub(super) const HOLDERS: u64 = 2;

/// The length of a status.
const STATUS: usize = size_of::<c_int>();

/// Moves to the first processes of a PID namespace, for which `unshare` was called. Returns only in the process that becomes the server,
/// or with an error.
pub(super) fn enter() -> io::Result<()> {
    let (watcher, init) = calls::pair()?;
    if let Some(process) = calls::fork()? {
        watch(process, &watcher);
    }
    drop(watcher);
    calls::end_with_parent()?;
    // It fails if the watcher ended before the line above.
    calls::write(init.as_fd(), b"s")?;
    match calls::fork()? {
        Some(server) => be_init(server, &init),
        None => Ok(()),
    }
}

/// Makes this process one that only holds the server. A call that fails changes nothing that the server may do.
fn hold(name: &CStr, kept: &OwnedFd) {
    let _ = calls::set_name(name);
    // The gateway's signals are for the server, which is in the same process group.
    let _ = calls::block_signals();
    let _ = calls::close_all_but(kept.as_fd());
}

/// Waits for the end of the namespace, and ends as the server did.
fn watch(init: c_long, watcher: &OwnedFd) -> ! {
    hold(c"mgp-watcher", watcher);
    // Without a status, init was killed.
    let mut status = libc::SIGKILL;
    let mut message = [0; STATUS];
    loop {
        match calls::read_message(watcher.as_fd(), &mut message) {
            Ok(STATUS) => status = c_int::from_ne_bytes(message),
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
    }
    calls::reap(init);
    calls::exit_as(status)
}

/// Reaps processes until the server ends, and reports how it ended.
fn be_init(server: c_long, init: &OwnedFd) -> ! {
    hold(c"mgp-init", init);
    while let Ok((process, status)) = calls::reap_any() {
        if process == server {
            let _ = calls::write(init.as_fd(), &status.to_ne_bytes());
            break;
        }
    }
    calls::exit(0)
}

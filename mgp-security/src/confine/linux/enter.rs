//! The listener of the proxy in the network of a container.

use super::{calls, egress::pass_listener};
use std::{
    ffi::c_long,
    io,
    os::fd::{AsFd, OwnedFd},
};

/// The time limit, in milliseconds.
const LIMIT: u64 = 5000;

/// Makes the proxy's listener in the network of a process, whose user namespace this user owns, or that of this process.
pub(in crate::confine) fn listen_in(process: c_long) -> io::Result<OwnedFd> {
    let target = calls::open_process(process)?;
    let (here, there) = calls::pair()?;
    let Some(copy) = calls::fork()? else {
        // A process cannot enter the user namespace that it is in.
        let _ = calls::enter(target.as_fd(), libc::CLONE_NEWUSER);
        let made =
            calls::enter(target.as_fd(), libc::CLONE_NEWNET).and_then(|()| pass_listener(there.as_fd()));
        calls::exit(i32::from(made.is_err()))
    };
    drop(there);
    let answer = calls::wait_readable(here.as_fd(), LIMIT);
    if let Ok(copy) = calls::open_process(copy) {
        let _ = calls::kill(copy.as_fd());
    }
    calls::reap(copy);
    match answer? {
        true => calls::receive_descriptor(here.as_fd()).map_err(|_| {
            io::Error::new(io::ErrorKind::PermissionDenied, "this user may not enter the container's network")
        }),
        false => Err(io::ErrorKind::TimedOut.into()),
    }
}

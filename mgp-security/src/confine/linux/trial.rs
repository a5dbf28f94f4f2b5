//! A trial of the namespaces and the mounts that the gateway makes itself.

use super::{calls, identity::Identity, mounts::Mounts};
use std::{io, os::fd::AsFd, sync::OnceLock};

/// The time limit of the trial, in milliseconds.
const LIMIT: u64 = 5000;

/// Returns the reason why this machine refuses namespaces to this program, if it does. They are tried once in each process.
pub(in crate::confine) fn refused_namespaces() -> Option<&'static str> {
    static TRIAL: OnceLock<Option<String>> = OnceLock::new();
    TRIAL.get_or_init(|| tried().err().map(|error| error.to_string())).as_deref()
}

/// Makes the namespaces and the mounts in a process of their own.
fn tried() -> io::Result<()> {
    const NAMESPACES: i32 = libc::CLONE_NEWUSER
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWNET
        | libc::CLONE_NEWPID;
    let (identity, mounts) = (Identity::of_process(), Mounts::new(&[], &[])?);
    let (here, there) = calls::pair()?;
    let Some(process) = calls::fork()? else {
        let made = identity.enter(NAMESPACES).and_then(|()| mounts.make());
        let number = made.map_or_else(|error| error.raw_os_error().unwrap_or(libc::EPERM), |()| 0);
        let _ = calls::write(there.as_fd(), &number.to_ne_bytes());
        calls::exit(0)
    };
    drop(there);
    let mut number = [0; size_of::<i32>()];
    let answer = calls::wait_readable(here.as_fd(), LIMIT).and_then(|is_there| match is_there {
        true => calls::read_message(here.as_fd(), &mut number),
        false => Err(io::ErrorKind::TimedOut.into()),
    });
    if let Ok(process) = calls::open_process(process) {
        let _ = calls::kill(process.as_fd());
    }
    calls::reap(process);
    match (answer?, i32::from_ne_bytes(number)) {
        (length, 0) if length == number.len() => Ok(()),
        (0, _) => Err(io::Error::other("the trial of namespaces ended")),
        (_, number) => Err(io::Error::from_raw_os_error(number)),
    }
}

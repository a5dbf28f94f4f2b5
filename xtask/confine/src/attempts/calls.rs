//! System calls without a function in the standard library.
#![expect(unsafe_code, reason = "hostile programs do not keep to the standard library")]

use std::{
    ffi::{CString, c_int, c_long},
    io,
    os::{
        fd::{FromRawFd, OwnedFd},
        unix::ffi::OsStrExt,
    },
    path::Path,
};

/// Makes a system call. Pointers must point to values that outlive it.
pub(super) fn call(number: c_long, arguments: &[c_long]) -> io::Result<c_long> {
    let argument = |i: usize| arguments.get(i).copied().unwrap_or_default();
    // SAFETY: callers pass numbers, and pointers to values that outlive the call.
    let result = unsafe {
        libc::syscall(number, argument(0), argument(1), argument(2), argument(3), argument(4), argument(5))
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Returns the address of a value as an argument.
pub(super) fn address<T: ?Sized>(value: &T) -> c_long {
    std::ptr::from_ref(value).cast::<()>().addr().cast_signed() as c_long
}

/// Owns a descriptor that a call returned.
pub(super) fn owned(descriptor: c_long) -> OwnedFd {
    // SAFETY: the system has just opened the descriptor for the caller.
    unsafe { OwnedFd::from_raw_fd(descriptor as c_int) }
}

pub(super) fn c_path(path: impl AsRef<Path>) -> io::Result<CString> {
    Ok(CString::new(path.as_ref().as_os_str().as_bytes())?)
}

/// Creates a socket.
pub(super) fn socket(family: c_int, kind: c_int, protocol: c_int) -> io::Result<OwnedFd> {
    call(libc::SYS_socket, &[family.into(), kind.into(), protocol.into()]).map(owned)
}

/// Starts copies of this process until one fails or there are `most`. Copies wait until the first process has ended.
pub(super) fn fork_many(most: usize) -> io::Result<()> {
    let mut children = Vec::new();
    let mut result = Ok(());
    for _ in 0..most {
        match call(libc::SYS_clone, &[libc::SIGCHLD.into()]) {
            Ok(0) => loop {
                std::thread::sleep(std::time::Duration::from_secs(1));
            },
            Ok(child) => children.push(child),
            Err(error) => {
                result = Err(error);
                break;
            }
        }
    }
    for child in children {
        let _ = call(libc::SYS_kill, &[child, libc::SIGKILL.into()]);
        let _ = call(libc::SYS_wait4, &[child]);
    }
    result
}

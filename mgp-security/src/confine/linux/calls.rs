//! The system calls of confinement. All of them may be made between fork and exec: none allocates or takes a lock.
#![expect(unsafe_code, reason = "system calls for which the standard library has no function")]

use seccompiler::sock_filter;
use std::{
    ffi::{CStr, c_int, c_long, c_void},
    io,
    os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
    ptr,
};

fn check(result: c_long) -> io::Result<c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Makes a system call whose arguments are numbers.
macro_rules! call {
    ($number:ident $(, $argument:expr)*) => {
        // SAFETY: the arguments are numbers, or point to values that outlive the call.
        check(unsafe { libc::syscall(libc::$number $(, $argument)*) })
    };
}

fn descriptor(number: c_long) -> io::Result<OwnedFd> {
    let number = c_int::try_from(number).map_err(|_| io::ErrorKind::InvalidData)?;
    // SAFETY: the system has just opened the descriptor for the caller, who owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// Marks every descriptor past stderr, so that the program does not inherit it.
pub(super) fn close_on_exec() -> io::Result<()> {
    call!(SYS_close_range, 3u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC).map(drop)
}

/// Lets the program that this process starts inherit a descriptor.
pub(super) fn keep_on_exec(fd: BorrowedFd<'_>) -> io::Result<()> {
    call!(SYS_fcntl, fd.as_raw_fd(), libc::F_SETFD, 0).map(drop)
}

/// Takes over a descriptor that this process inherited, by its number.
pub(super) fn inherited(number: c_int) -> io::Result<OwnedFd> {
    call!(SYS_fcntl, number, libc::F_GETFD)?;
    descriptor(number.into())
}

/// Makes a file in memory.
pub(in crate::confine) fn memory_file() -> io::Result<OwnedFd> {
    call!(SYS_memfd_create, c"mgp".as_ptr(), libc::MFD_CLOEXEC).and_then(descriptor)
}

/// Closes what a descriptor leads to, and makes it lead to that of another.
pub(super) fn replace(fd: BorrowedFd<'_>, by: BorrowedFd<'_>) -> io::Result<()> {
    call!(SYS_dup3, by.as_raw_fd(), fd.as_raw_fd(), libc::O_CLOEXEC).map(drop)
}

/// Waits until a descriptor can be read or its other end is closed, at most for some milliseconds. Returns whether it can be read.
pub(super) fn wait_readable(fd: BorrowedFd<'_>, milliseconds: u64) -> io::Result<bool> {
    let mut poll = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let limit = libc::timespec {
        tv_sec: (milliseconds / 1000) as _,
        tv_nsec: (milliseconds % 1000 * 1_000_000) as _,
    };
    let none = ptr::null::<c_void>();
    Ok(call!(SYS_ppoll, &raw mut poll, 1, &raw const limit, none, 0)? > 0)
}

pub(super) fn unshare(flags: c_int) -> io::Result<()> {
    call!(SYS_unshare, flags).map(drop)
}

/// Enters namespaces of an open process.
pub(super) fn enter(process: BorrowedFd<'_>, flags: c_int) -> io::Result<()> {
    call!(SYS_setns, process.as_raw_fd(), flags).map(drop)
}

/// Starts a copy of this process, for which the result is `None`. The copy must make only system calls, and end with [`exit`].
pub(super) fn fork() -> io::Result<Option<c_long>> {
    let none = ptr::null::<c_void>();
    let process = call!(SYS_clone, libc::SIGCHLD, none, none, none, none)?;
    Ok((process != 0).then_some(process))
}

pub(super) fn exit(code: c_int) -> ! {
    loop {
        let _ = call!(SYS_exit_group, code);
    }
}

/// Ends this process as another one ended, by its exit code or by the same signal, without writing its memory to a file.
pub(super) fn exit_as(status: c_int) -> ! {
    if libc::WIFEXITED(status) {
        exit(libc::WEXITSTATUS(status));
    }
    let signal = libc::WTERMSIG(status);
    // An action of zeros is the default one, in the layout of the system call.
    let action = [0u64; 4];
    let _ = limit(libc::RLIMIT_CORE, 0);
    let _ = call!(SYS_rt_sigaction, signal, action.as_ptr(), ptr::null::<c_void>(), SIGNALS);
    let _ = call!(SYS_kill, process_id(), signal);
    let _ = set_blocked_signals(!(1 << (signal - 1)));
    exit(SIGNALLED + signal)
}

/// The size of a set of signals.
const SIGNALS: usize = size_of::<u64>();

/// Added to a signal, the exit code with which shells report it.
const SIGNALLED: c_int = 128;

/// Makes all signals wait, except those that end or stop every process.
pub(super) fn block_signals() -> io::Result<()> {
    set_blocked_signals(u64::MAX)
}

fn set_blocked_signals(signals: u64) -> io::Result<()> {
    let none = ptr::null::<c_void>();
    call!(SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const signals, none, SIGNALS).map(drop)
}

/// Asks the system to kill this process when its parent ends.
pub(super) fn end_with_parent() -> io::Result<()> {
    call!(SYS_prctl, libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0).map(drop)
}

/// Sets the name of this process, which `ps` shows.
pub(super) fn set_name(name: &CStr) -> io::Result<()> {
    call!(SYS_prctl, libc::PR_SET_NAME, name.as_ptr(), 0, 0, 0).map(drop)
}

pub(super) fn parent_id() -> c_long {
    call!(SYS_getppid).unwrap_or_default()
}

/// Closes every descriptor except one, which is past stderr.
pub(super) fn close_all_but(kept: BorrowedFd<'_>) -> io::Result<()> {
    let kept = kept.as_raw_fd().cast_unsigned();
    call!(SYS_close_range, 0u32, kept.saturating_sub(1), 0)?;
    call!(SYS_close_range, kept.saturating_add(1), u32::MAX, 0).map(drop)
}

/// Waits for the end of a child, and reaps it.
pub(super) fn reap(process: c_long) {
    let none = ptr::null::<c_void>();
    let _ = call!(SYS_wait4, process, none, 0, none);
}

/// Waits for the end of any child. Returns its id and its status.
pub(super) fn reap_any() -> io::Result<(c_long, c_int)> {
    let mut status: c_int = 0;
    let process = call!(SYS_wait4, -1, &raw mut status, libc::__WALL, ptr::null::<c_void>())?;
    Ok((process, status))
}

/// Opens a process by its id.
pub(super) fn open_process(process: c_long) -> io::Result<OwnedFd> {
    call!(SYS_pidfd_open, process, 0).and_then(descriptor)
}

/// Kills an open process.
pub(super) fn kill(process: BorrowedFd<'_>) -> io::Result<()> {
    let none = ptr::null::<c_void>();
    call!(SYS_pidfd_send_signal, process.as_raw_fd(), libc::SIGKILL, none, 0).map(drop)
}

pub(super) fn process_id() -> c_long {
    call!(SYS_getpid).unwrap_or_default()
}

/// Returns two connected sockets that preserve the boundaries of messages.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut fds: [c_int; 2] = [0; 2];
    call!(SYS_socketpair, libc::AF_UNIX, libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC, 0, fds.as_mut_ptr())?;
    Ok((descriptor(fds[0].into())?, descriptor(fds[1].into())?))
}

pub(super) fn open(path: &CStr, flags: c_int) -> io::Result<OwnedFd> {
    call!(SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags | libc::O_CLOEXEC, 0).and_then(descriptor)
}

pub(super) fn write(to: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<()> {
    let written = call!(SYS_write, to.as_raw_fd(), bytes.as_ptr(), bytes.len())?;
    if usize::try_from(written) == Ok(bytes.len()) { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Reads at most one byte; `None` at the end.
pub(super) fn read_byte(from: BorrowedFd<'_>) -> io::Result<Option<u8>> {
    let mut byte = [0u8];
    let length = call!(SYS_read, from.as_raw_fd(), byte.as_mut_ptr(), 1usize)?;
    Ok((length == 1).then_some(byte[0]))
}

/// Reads the next message of a [`pair`] into a buffer. Returns its length, which is 0 at the end.
pub(super) fn read_message(from: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<usize> {
    let length = call!(SYS_read, from.as_raw_fd(), buffer.as_mut_ptr(), buffer.len())?;
    usize::try_from(length).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// Makes reads of a descriptor return at once.
pub(super) fn set_nonblocking(fd: BorrowedFd<'_>) -> io::Result<()> {
    call!(SYS_fcntl, fd.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK).map(drop)
}

/// Returns the user and the group of this process.
pub(in crate::confine) fn ids() -> (u32, u32) {
    // SAFETY: both calls take nothing and always succeed.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Becomes another user without groups, and keeps these capabilities across the change and the start of a program.
pub(super) fn become_user(user: u32, capabilities: [u32; 2]) -> io::Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        process: c_int,
    }
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Sets {
        effective: u32,
        permitted: u32,
        inheritable: u32,
    }
    const VERSION_3: u32 = 0x2008_0522;
    call!(SYS_setgroups, 0, ptr::null::<c_void>())?;
    call!(SYS_prctl, libc::PR_SET_KEEPCAPS, 1, 0, 0, 0)?;
    call!(SYS_setresgid, user, user, user)?;
    call!(SYS_setresuid, user, user, user)?;
    let header = Header { version: VERSION_3, process: 0 };
    let bits = capabilities.iter().fold(0, |bits, capability| bits | 1 << capability);
    let sets = [
        Sets { effective: bits, permitted: bits, inheritable: bits },
        Sets { effective: 0, permitted: 0, inheritable: 0 },
    ];
    call!(SYS_capset, &raw const header, sets.as_ptr())?;
    capabilities.iter().try_for_each(|capability| {
        call!(SYS_prctl, libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_RAISE, *capability, 0, 0).map(drop)
    })
}

/// Lowers a limit, hard and soft. A limit that is already lower stays.
pub(super) fn limit(resource: u32, most: u64) -> io::Result<()> {
    limit_to(resource, most, most)
}

/// Lowers a limit to a soft and a hard one. A hard limit that is already lower stays, and bounds the soft one.
pub(super) fn limit_to(resource: u32, soft: u64, hard: u64) -> io::Result<()> {
    let mut now = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    let none = ptr::null::<libc::rlimit64>();
    call!(SYS_prlimit64, 0, resource, none, &raw mut now)?;
    let lower = libc::rlimit64 { rlim_cur: soft.min(now.rlim_max), rlim_max: hard.min(now.rlim_max) };
    call!(SYS_prlimit64, 0, resource, &raw const lower, ptr::null::<libc::rlimit64>()).map(drop)
}

pub(super) fn no_new_privileges() -> io::Result<()> {
    call!(SYS_prctl, libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0).map(drop)
}

/// Returns the version of Landlock's interface (ABI) on this machine, which is at least 1.
pub(super) fn landlock_abi() -> io::Result<c_long> {
    const VERSION: u32 = 1;
    call!(SYS_landlock_create_ruleset, ptr::null::<c_void>(), 0usize, VERSION)
}

/// Adds the files beneath an open folder to a Landlock ruleset.
pub(super) fn add_folder(ruleset: BorrowedFd<'_>, folder: &OwnedFd, access: u64) -> io::Result<()> {
    #[repr(C, packed)]
    struct PathBeneath {
        access: u64,
        parent: c_int,
    }
    const PATH_BENEATH: c_int = 1;
    let rule = PathBeneath { access, parent: folder.as_raw_fd() };
    call!(SYS_landlock_add_rule, ruleset.as_raw_fd(), PATH_BENEATH, &raw const rule, 0).map(drop)
}

pub(super) fn restrict_by(ruleset: BorrowedFd<'_>) -> io::Result<()> {
    call!(SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0).map(drop)
}

pub(super) fn filter_calls(program: &[sock_filter]) -> io::Result<()> {
    #[repr(C)]
    struct Program {
        length: u16,
        filter: *const sock_filter,
    }
    let length = u16::try_from(program.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let program = Program { length, filter: program.as_ptr() };
    call!(SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program).map(drop)
}

const TREE_CLONE: u32 = 1;

/// Opens a copy of the mounts beneath a path, which is not attached anywhere.
pub(super) fn copy_mounts(path: &CStr) -> io::Result<OwnedFd> {
    let flags = TREE_CLONE | libc::O_CLOEXEC.cast_unsigned() | libc::AT_RECURSIVE.cast_unsigned();
    call!(SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags).and_then(descriptor)
}

/// Makes all files beneath a mount read-only in this mount namespace.
pub(super) fn make_read_only(path: &CStr) -> io::Result<()> {
    const READ_ONLY: u64 = 1;
    set_mounts(path, READ_ONLY, 0)
}

/// Prevents later mounts and unmounts outside this mount namespace from reaching the mounts beneath a path.
pub(super) fn make_private(path: &CStr) -> io::Result<()> {
    set_mounts(path, 0, libc::MS_PRIVATE)
}

fn set_mounts(path: &CStr, set: u64, propagation: u64) -> io::Result<()> {
    #[repr(C)]
    struct MountAttr {
        set: u64,
        clear: u64,
        propagation: u64,
        user_namespace: u64,
    }
    let attr = MountAttr { set, clear: 0, propagation, user_namespace: 0 };
    call!(
        SYS_mount_setattr,
        libc::AT_FDCWD,
        path.as_ptr(),
        libc::AT_RECURSIVE,
        &raw const attr,
        size_of::<MountAttr>()
    )
    .map(drop)
}

/// Attaches mounts at a path.
pub(super) fn attach_mounts(mounts: &OwnedFd, path: &CStr) -> io::Result<()> {
    const FROM_DESCRIPTOR: u32 = 4;
    call!(SYS_move_mount, mounts.as_raw_fd(), c"".as_ptr(), libc::AT_FDCWD, path.as_ptr(), FROM_DESCRIPTOR)
        .map(drop)
}

/// Enters the working directory again by its path, so that it is in the mounts that are now attached there.
pub(super) fn reenter_working_directory() -> io::Result<()> {
    let mut path = [0u8; libc::PATH_MAX as usize];
    call!(SYS_getcwd, path.as_mut_ptr(), path.len() - 1)?;
    call!(SYS_chdir, path.as_ptr()).map(drop)
}

/// Enables the loopback device of this network namespace.
pub(super) fn bring_loopback_up() -> io::Result<()> {
    #[repr(C)]
    struct Request {
        name: [u8; libc::IFNAMSIZ],
        flags: i16,
        rest: [u8; 22],
    }
    const LOOPBACK: &[u8] = b"lo";
    let kind = libc::SOCK_DGRAM | libc::SOCK_CLOEXEC;
    let socket = call!(SYS_socket, libc::AF_INET, kind, 0).and_then(descriptor)?;
    let up = libc::IFF_UP | libc::IFF_RUNNING;
    let mut request = Request { name: [0; libc::IFNAMSIZ], flags: up as i16, rest: [0; 22] };
    request.name[..LOOPBACK.len()].copy_from_slice(LOOPBACK);
    call!(SYS_ioctl, socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request).map(drop)
}

/// Listens on a port of the loopback address.
pub(super) fn listen_on_loopback(port: u16) -> io::Result<OwnedFd> {
    const WAITING: c_int = 128;
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    let socket = call!(SYS_socket, libc::AF_INET, kind, 0).and_then(descriptor)?;
    let address = libc::sockaddr_in {
        sin_family: libc::AF_INET as u16,
        sin_port: port.to_be(),
        sin_addr: libc::in_addr { s_addr: libc::INADDR_LOOPBACK.to_be() },
        sin_zero: [0; 8],
    };
    call!(SYS_bind, socket.as_raw_fd(), &raw const address, size_of_val(&address))?;
    call!(SYS_listen, socket.as_raw_fd(), WAITING)?;
    Ok(socket)
}

/// The control part of a message that carries one descriptor.
#[repr(C)]
struct DescriptorMessage {
    header: libc::cmsghdr,
    descriptor: c_int,
}

/// The length of the control part without the padding at its end.
const DESCRIPTOR_MESSAGE: usize = size_of::<libc::cmsghdr>() + size_of::<c_int>();

/// Makes a message of one byte with a control part.
macro_rules! message {
    ($byte:ident, $part:ident, $control:ident, $message:ident) => {
        let mut $part = libc::iovec { iov_base: (&raw mut $byte).cast(), iov_len: 1 };
        // SAFETY: a header of zeros is an empty message.
        let mut $message: libc::msghdr = unsafe { std::mem::zeroed() };
        $message.msg_iov = &raw mut $part;
        $message.msg_iovlen = 1;
        $message.msg_control = (&raw mut $control).cast();
        $message.msg_controllen = size_of::<DescriptorMessage>() as _;
    };
}

/// Sends a copy of a descriptor over a socket.
pub(super) fn send_descriptor(to: BorrowedFd<'_>, sent: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: a header of zeros is valid.
    let mut header: libc::cmsghdr = unsafe { std::mem::zeroed() };
    header.cmsg_len = DESCRIPTOR_MESSAGE as _;
    header.cmsg_level = libc::SOL_SOCKET;
    header.cmsg_type = libc::SCM_RIGHTS;
    let mut control = DescriptorMessage { header, descriptor: sent.as_raw_fd() };
    let mut byte = 0u8;
    message!(byte, part, control, message);
    call!(SYS_sendmsg, to.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL).map(drop)
}

/// Receives a descriptor from a socket.
pub(super) fn receive_descriptor(from: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    // SAFETY: a header of zeros is valid.
    let header: libc::cmsghdr = unsafe { std::mem::zeroed() };
    let mut control = DescriptorMessage { header, descriptor: -1 };
    let mut byte = 0u8;
    message!(byte, part, control, message);
    call!(SYS_recvmsg, from.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC)?;
    if control.header.cmsg_type == libc::SCM_RIGHTS && control.header.cmsg_len as usize == DESCRIPTOR_MESSAGE
    {
        descriptor(control.descriptor.into())
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

//! The kernel of the operating system, and ways to gain privileges.

use super::{
    attempt::{Attempt, attempt, depends, for_root},
    calls::{address, c_path, call},
};
use crate::{ground::Ground, run::Run};
use std::{
    env,
    ffi::{CString, c_long},
    fs::{self, Permissions},
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Stdio},
};

/// The reason why a user may be unable to make namespaces.
const NAMESPACES: &str = "user namespaces may be switched off";

pub(super) const ATTEMPTS: &[Attempt] = &[
    depends("enter a user namespace", NAMESPACES, |_| {
        call(libc::SYS_unshare, &[libc::CLONE_NEWUSER.into()]).map(drop)
    }),
    depends("clone into a user namespace", NAMESPACES, |_| {
        clone_away(call(libc::SYS_clone, &[(libc::CLONE_NEWUSER | libc::SIGCHLD).into()]))
    }),
    depends("clone into a user namespace by clone3", NAMESPACES, |_| {
        let flags = libc::CLONE_NEWUSER.cast_unsigned().into();
        let arguments = [flags, 0, 0, 0, libc::SIGCHLD.cast_unsigned().into(), 0, 0, 0u64];
        clone_away(call(libc::SYS_clone3, &[address(&arguments), 64]))
    }),
    depends("enter a network namespace", NAMESPACES, |_| {
        call(libc::SYS_unshare, &[(libc::CLONE_NEWUSER | libc::CLONE_NEWNET).into()]).map(drop)
    }),
    depends("mount a file system", NAMESPACES, |ground| {
        call(libc::SYS_unshare, &[(libc::CLONE_NEWUSER | libc::CLONE_NEWNS).into()])?;
        mount(ground)
    }),
    for_root("mount a file system in the same namespace", mount),
    for_root("change the root folder", |_| call(libc::SYS_chroot, &[address(c"/")]).map(drop)),
    for_root("open a copy of the mounts", |_| {
        call(libc::SYS_open_tree, &[libc::AT_FDCWD.into(), address(c"/"), 1]).map(drop)
    }),
    depends("make an io_uring", "kernel.io_uring_disabled may be set", |_| {
        let parameters = [0u32; 30];
        call(libc::SYS_io_uring_setup, &[1, address(&parameters)]).map(drop)
    }),
    attempt("start a program from memory", |_| {
        let memory = call(libc::SYS_memfd_create, &[address(c"x"), 0])?;
        let path = format!("/proc/self/fd/{memory}");
        fs::copy(env::current_exe()?, &path)?;
        start(&path)
    })
    .opened_by(&[Run::Programs]),
    attempt("start a program from the private folder", |ground| {
        let program = ground.own("program");
        fs::copy(env::current_exe()?, &program)?;
        fs::set_permissions(&program, Permissions::from_mode(0o700))?;
        start(program)
    })
    .opened_by(&[Run::Programs]),
    attempt("start a program of the system", |_| start("/bin/sh")).opened_by(&[Run::Programs]),
    depends("start a program with set-user-ID", "the machine may have none", |_| {
        let is_set =
            |path: &&str| fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o4000 != 0);
        let programs = ["/usr/bin/su", "/usr/bin/passwd", "/usr/bin/mount", "/usr/bin/newgrp", "/bin/su"];
        start(programs.iter().find(|path| is_set(path)).ok_or_else(|| io::Error::other("there is none"))?)
    })
    .opened_by(&[Run::Programs]),
    attempt("switch address randomisation off", |_| call(libc::SYS_personality, &[0x0004_0000]).map(drop)),
    depends("load a BPF program", "kernel.unprivileged_bpf_disabled may be set", |_| {
        // A map of one element.
        let attributes = [2u32, 4, 4, 1];
        call(libc::SYS_bpf, &[0, address(&attributes), 16]).map(drop)
    }),
    depends("add a key", "the kernel may have no keyrings", |_| {
        let thread_keyring = -1;
        call(libc::SYS_add_key, &[address(c"user"), address(c"mgp"), address(b"x"), 1, thread_keyring])
            .map(drop)
    }),
    depends("count the processor's events", "kernel.perf_event_paranoid may forbid it", |_| {
        let mut attributes = [0u64; 16];
        // A software counter of processor time, for this process in user space.
        attributes[0] = 1 | (128 << 32);
        attributes[5] = 1 << 5 | 1 << 6;
        call(libc::SYS_perf_event_open, &[address(&attributes), 0, -1, -1, 0]).map(drop)
    }),
    depends(
        "handle page faults",
        "vm.unprivileged_userfaultfd may be off, and the kernel may have none",
        |_| {
            const USER_MODE_ONLY: c_long = 1;
            call(libc::SYS_userfaultfd, &[USER_MODE_ONLY]).map(drop)
        },
    ),
    for_root("read the kernel's log", |_| {
        const SIZE_BUFFER: c_long = 10;
        const READ_ALL: c_long = 3;
        let buffer = [0u8; 64];
        call(libc::SYS_syslog, &[SIZE_BUFFER])?;
        call(libc::SYS_syslog, &[READ_ALL, address(&buffer), 64]).map(drop)
    }),
    for_root("rename the machine", |_| {
        call(libc::SYS_unshare, &[libc::CLONE_NEWUTS.into()])?;
        call(libc::SYS_sethostname, &[address(b"x"), 1]).map(drop)
    }),
    depends("make a call by its x32 number", "the kernel may have no x32 calls", |_| {
        call(0x4000_0000 + libc::SYS_socket, &[libc::AF_UNIX.into(), libc::SOCK_STREAM.into()]).map(drop)
    }),
    depends("make a call that is newer than the filter", "the kernel may not have it", |_| {
        // `setxattrat`, with arguments that the kernel finds invalid.
        match call(463, &[-1, 0, 0, 0, 0, 0]) {
            Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => Err(error),
            _ => Ok(()),
        }
    }),
    depends("make shared memory that has no file", "the kernel may have none", |_| {
        call(libc::SYS_shmget, &[0, 4096, 0o600]).map(drop)
    }),
    depends("make a queue of messages", "the kernel may have none", |_| {
        let flags = (libc::O_CREAT | libc::O_RDWR).into();
        call(libc::SYS_mq_open, &[address(c"mgp-confine"), flags, 0o600])?;
        call(libc::SYS_mq_unlink, &[address(c"mgp-confine")]).map(drop)
    }),
];

/// Ends the copy of this process that a clone made.
fn clone_away(cloned: io::Result<c_long>) -> io::Result<()> {
    match cloned? {
        0 => std::process::exit(0),
        child => call(libc::SYS_wait4, &[child]).map(drop),
    }
}

fn mount(ground: &Ground) -> io::Result<()> {
    let (folder, kind) = (c_path(&ground.private)?, CString::new("tmpfs")?);
    call(libc::SYS_mount, &[address(&*kind), address(&*folder), address(&*kind)])?;
    call(libc::SYS_umount2, &[address(&*folder)]).map(drop)
}

/// Starts a program with an empty input.
pub(super) fn start(program: impl AsRef<Path>) -> io::Result<()> {
    let mut command = Command::new(program.as_ref());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).arg("--version").spawn()?;
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(b"");
    }
    let _ = child.kill();
    child.wait().map(drop)
}

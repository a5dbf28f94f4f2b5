//! Other processes of the same user.

use super::{
    attempt::{Attempt, attempt, depends},
    calls::{address, call},
};
use crate::ground::{Ground, is_secret, read_secret};
use std::{ffi::c_long, fs, io};

/// The reason why a debugger may be kept away.
const DEBUGGERS: &str = "kernel.yama.ptrace_scope may keep debuggers away";

pub(super) const ATTEMPTS: &[Attempt] = &[
    depends("read a process's environment", DEBUGGERS, |ground| read_secret(of_victim(ground, "environ"))),
    attempt("read a process's command line", |ground| fs::read(of_victim(ground, "cmdline")).map(drop)),
    attempt("read a process's status", |ground| fs::read(of_victim(ground, "status")).map(drop)),
    depends("read a process's memory map", DEBUGGERS, |ground| {
        let maps = fs::read(of_victim(ground, "maps"))?;
        if maps.is_empty() { Err(io::Error::other("empty")) } else { Ok(()) }
    }),
    depends("open a process's memory", DEBUGGERS, |ground| {
        fs::File::open(of_victim(ground, "mem")).map(drop)
    }),
    depends("read a file through a process's root", DEBUGGERS, |ground| {
        read_secret(of_victim(ground, &format!("root{}", ground.decoy("home/notes").display())))
    }),
    depends("read memory by process_vm_readv", DEBUGGERS, read_memory),
    depends("attach a debugger", DEBUGGERS, |ground| {
        call(libc::SYS_ptrace, &[libc::PTRACE_SEIZE.into(), ground.victim.into()]).map(drop)
    }),
    depends("take a process's descriptor", DEBUGGERS, |ground| {
        let process = call(libc::SYS_pidfd_open, &[ground.victim.into()])?;
        call(libc::SYS_pidfd_getfd, &[process, 0]).map(drop)
    }),
    attempt("send a signal", |ground| {
        call(libc::SYS_kill, &[ground.victim.into(), libc::SIGCONT.into()]).map(drop)
    }),
    attempt("send a signal to a thread", |ground| {
        let victim = ground.victim.into();
        call(libc::SYS_tgkill, &[victim, victim, libc::SIGCONT.into()]).map(drop)
    }),
    attempt("send a signal by a process descriptor", |ground| {
        let process = call(libc::SYS_pidfd_open, &[ground.victim.into()])?;
        call(libc::SYS_pidfd_send_signal, &[process, libc::SIGCONT.into()]).map(drop)
    }),
    attempt("lower a process's limits", |ground| {
        let limit = libc::rlimit64 { rlim_cur: 512, rlim_max: 512 };
        let resource = c_long::from(libc::RLIMIT_NOFILE);
        call(libc::SYS_prlimit64, &[ground.victim.into(), resource, address(&limit)]).map(drop)
    }),
    attempt("lower a process's priority", |ground| {
        call(libc::SYS_setpriority, &[libc::PRIO_PROCESS.into(), ground.victim.into(), 5]).map(drop)
    }),
    attempt("set the priority of a group of processes", |_| {
        // The kernel returns 20 less the priority.
        let same = 20 - call(libc::SYS_getpriority, &[libc::PRIO_PROCESS.into(), 0])?;
        call(libc::SYS_setpriority, &[libc::PRIO_PGRP.into(), 0, same]).map(drop)
    }),
    attempt("bind a process to a processor", |ground| {
        let mask = [u64::MAX; 16];
        call(libc::SYS_sched_setaffinity, &[ground.victim.into(), 128, address(&mask)]).map(drop)
    }),
];

fn of_victim(ground: &Ground, file: &str) -> String {
    format!("/proc/{}/{file}", ground.victim)
}

fn read_memory(ground: &Ground) -> io::Result<()> {
    let maps = fs::read_to_string(of_victim(ground, "maps"))?;
    let start = maps.split('-').next().and_then(|start| usize::from_str_radix(start, 16).ok());
    let start = start.ok_or_else(|| io::Error::other("no memory"))?;
    let mut bytes = [0u8; 4];
    let here = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let there = libc::iovec { iov_base: std::ptr::without_provenance_mut(start), iov_len: bytes.len() };
    call(libc::SYS_process_vm_readv, &[ground.victim.into(), address(&here), 1, address(&there), 1])
        .map(drop)?;
    if bytes == *b"\x7fELF" { Ok(()) } else { is_secret("") }
}

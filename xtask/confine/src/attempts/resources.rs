//! Unlimited resources. Each attempt stops at its own bound, a few times the limit of the check.

use super::{
    attempt::{Attempt, attempt},
    calls::{address, call, fork_many},
};
use std::{
    ffi::c_long,
    fs::{File, OpenOptions},
    hint::black_box,
    io,
    os::{fd::AsRawFd, unix::fs::FileExt},
    time::Duration,
};

const MIB: usize = 1 << 20;

pub(super) const ATTEMPTS: &[Attempt] = &[
    attempt("start processes without end", |_| fork_many(120)),
    attempt("start threads without end", |_| threads(120)),
    attempt("take memory without end", |_| {
        let mut memory: Vec<u8> = Vec::new();
        memory.try_reserve_exact(512 * MIB).map_err(io::Error::other)?;
        memory.resize(512 * MIB, 1);
        black_box(&memory);
        Ok(())
    }),
    attempt("take shared memory without end", |_| {
        let flags = (libc::MAP_SHARED | libc::MAP_ANONYMOUS).into();
        let protection = (libc::PROT_READ | libc::PROT_WRITE).into();
        call(libc::SYS_mmap, &[0, 512 << 20, protection, flags, -1, 0]).map(drop)
    }),
    attempt("take memory of a device without end", |_| {
        let zero = OpenOptions::new().read(true).write(true).open("/dev/zero")?;
        let protection = (libc::PROT_READ | libc::PROT_WRITE).into();
        let shared = libc::MAP_SHARED.into();
        call(libc::SYS_mmap, &[0, 512 << 20, protection, shared, zero.as_raw_fd().into(), 0]).map(drop)
    }),
    attempt("take memory as a stack without end", |_| {
        let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_GROWSDOWN).into();
        let protection = (libc::PROT_READ | libc::PROT_WRITE).into();
        call(libc::SYS_mmap, &[0, 1 << 20, protection, flags, -1, 0]).map(drop)
    }),
    attempt("open files without end", |_| {
        let open = || File::open("/dev/null");
        (0..300).map(|_| open()).collect::<io::Result<Vec<_>>>().map(drop)
    }),
    attempt("write a file without end", |ground| {
        let file = File::create(ground.own("large"))?;
        // One byte of each MiB: the rest takes no space.
        let written = (0..512).try_for_each(|at| file.write_all_at(b"x", at << 20));
        let _ = std::fs::remove_file(ground.own("large"));
        written
    }),
    attempt("dump memory into a file", |_| {
        let limit = libc::rlimit64 { rlim_cur: 4096, rlim_max: 4096 };
        call(libc::SYS_prlimit64, &[0, libc::RLIMIT_CORE.into(), address(&limit)]).map(drop)
    }),
    attempt("compute without end", |_| {
        let mut sum = 0u64;
        while processor_seconds()? < 3 {
            (0..100_000).for_each(|_| sum = black_box(sum.wrapping_add(1)));
        }
        Ok(())
    }),
];

fn threads(most: usize) -> io::Result<()> {
    let wait = || std::thread::Builder::new().spawn(|| std::thread::park_timeout(Duration::from_secs(60)));
    let threads: Vec<_> = (0..most).map(|_| wait()).collect::<io::Result<_>>()?;
    threads.into_iter().for_each(|thread| thread.thread().unpark());
    Ok(())
}

/// Returns the seconds of processor time that this process took, as the limit counts them.
fn processor_seconds() -> io::Result<i64> {
    // The clock of ticks of this process, which has no name.
    const TICKS: c_long = -8;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let place = (&raw mut time).addr().cast_signed() as c_long;
    call(libc::SYS_clock_gettime, &[TICKS, place])?;
    Ok(time.tv_sec)
}

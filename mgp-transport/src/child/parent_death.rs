//! The signal that ends a child when the process that started it is gone, even by SIGKILL.

use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
use std::io;
use tokio::process::Command;

/// Asks the kernel of the operating system to kill the process when this one ends. The signal is sent only to that process, not
/// to those that it starts in turn.
///
/// The signal is also sent when the thread that starts the process ends: see [`start_on_thread`](super::spawn_thread::start_on_thread).
#[expect(
    unsafe_code,
    reason = "only code between fork and exec can ask for the signal, and no safe function of std runs any"
)]
pub(super) fn end_with_parent(command: &mut Command) {
    let parent = getpid();
    let ask = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // A parent that had ended before the line above no longer sends the signal.
        if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    // SAFETY: between fork and exec only what is async-signal-safe may be called. The closure makes two system calls, and neither
    // allocates nor takes a lock: its errors hold a number each.
    unsafe { command.pre_exec(ask) };
}

//! The priority of bad servers and of the hosts that call them.

/// Gives this thread the lowest priority: the cores are few, and what is measured is the wait for the kernel, not for a turn of the scheduler.
/// Does nothing where a priority is that of a whole process.
pub(crate) fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(19) {
        eprintln!("a thread of bad servers keeps its priority: {error}");
    }
}

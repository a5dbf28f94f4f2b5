//! The priority of bad servers and of the hosts that call them.

/// Gives this thread the lowest priority: there are few cores, and the measurement is about waits for the kernel, not for the
/// scheduler. Does nothing on systems where only processes have priorities.
pub(crate) fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(19) {
        eprintln!("a thread of bad servers keeps its priority: {error}");
    }
}

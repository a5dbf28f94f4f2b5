//! The processes of a program that is started for a bounded time.

/// The process group of a program, which is killed when this is dropped.
pub(crate) struct ProcessGroup(Option<u32>);

impl ProcessGroup {
    /// Creates the group of a process that leads it.
    pub(crate) const fn new(leader: Option<u32>) -> Self {
        Self(leader)
    }

    /// Leaves the processes of the group running.
    pub(crate) fn leave(mut self) {
        self.0 = None;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.0.and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?)) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

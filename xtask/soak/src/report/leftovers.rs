//! The leftovers of hosts, calls and children.

use crate::faults::Processes;
use mgp_kernel::Kernel;
use mgp_transport::http::server::HttpServer;
use std::fs;

/// The counts of things that must disappear. They are compared at rest with the counts before the first host, and after the shutdown
/// with the counts before the kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LeftoverCounts {
    pub(crate) sessions: usize,
    pub(crate) hosts: usize,
    pub(crate) parked: usize,
    pub(crate) in_flight: usize,
    pub(crate) tasks: usize,
    pub(crate) descriptors: usize,
    pub(crate) processes: usize,
}

impl LeftoverCounts {
    /// Counts while a kernel runs. Must be called on the kernel's runtime.
    pub(crate) fn running(kernel: &Kernel, server: &HttpServer, processes: &Processes) -> Self {
        Self {
            sessions: server.sessions(),
            hosts: kernel.hosts(),
            parked: kernel.face().parked(),
            in_flight: kernel.servers().iter().map(|server| server.in_flight()).sum(),
            ..Self::process(processes)
        }
    }

    /// Counts the things of this process, which need no running kernel. Must be called on the kernel's runtime.
    pub(crate) fn process(processes: &Processes) -> Self {
        Self {
            tasks: tokio::runtime::Handle::current().metrics().num_alive_tasks(),
            descriptors: descriptors(),
            processes: processes.all().len() + Processes::zombies(),
            ..Self::default()
        }
    }

    /// Returns the counts less those of `before`.
    pub(crate) fn above(self, before: Self) -> Self {
        Self {
            sessions: self.sessions.saturating_sub(before.sessions),
            hosts: self.hosts.saturating_sub(before.hosts),
            parked: self.parked.saturating_sub(before.parked),
            in_flight: self.in_flight.saturating_sub(before.in_flight),
            tasks: self.tasks.saturating_sub(before.tasks),
            descriptors: self.descriptors.saturating_sub(before.descriptors),
            processes: self.processes.saturating_sub(before.processes),
        }
    }

    /// Returns the lower of each two counts.
    pub(crate) fn least(self, other: Self) -> Self {
        Self {
            sessions: self.sessions.min(other.sessions),
            hosts: self.hosts.min(other.hosts),
            parked: self.parked.min(other.parked),
            in_flight: self.in_flight.min(other.in_flight),
            tasks: self.tasks.min(other.tasks),
            descriptors: self.descriptors.min(other.descriptors),
            processes: self.processes.min(other.processes),
        }
    }

    /// Returns each count with its name.
    pub(crate) fn named(self) -> [(&'static str, usize); 7] {
        [
            ("HTTP sessions", self.sessions),
            ("hosts that the kernel knows", self.hosts),
            ("parked calls", self.parked),
            ("calls in flight", self.in_flight),
            ("tasks", self.tasks),
            ("file descriptors", self.descriptors),
            ("child processes", self.processes),
        ]
    }

    pub(crate) fn sum(self) -> usize {
        self.named().iter().map(|(_, count)| count).sum()
    }
}

/// Returns the number of open file descriptors.
fn descriptors() -> usize {
    // One of them is the folder that is read.
    fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_increase_counts_as_left_over() {
        let before = LeftoverCounts { tasks: 5, descriptors: 9, ..LeftoverCounts::default() };
        let after = LeftoverCounts { tasks: 7, descriptors: 8, parked: 1, ..LeftoverCounts::default() };
        assert_eq!(after.above(before), LeftoverCounts { tasks: 2, parked: 1, ..LeftoverCounts::default() });
        assert_eq!(after.above(before).sum(), 3);
    }
}

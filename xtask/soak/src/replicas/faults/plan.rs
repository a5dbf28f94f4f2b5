//! The schedule, made from the seed before anything runs.

use crate::random::Random;
use std::time::Duration;

/// The stream of random numbers.
const STREAM: u64 = u64::MAX - 2;

/// A fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FaultKind {
    /// SIGKILL of a replica, and another start.
    Kill,
    /// SIGTERM of a replica, and another start.
    End,
    /// Packets between a replica and the database are dropped.
    CutDatabase,
    /// Packets between two replicas are dropped.
    CutReplicas,
    /// A replica is off the network.
    Isolate,
    /// The database ends at once, and is started again.
    RestartDatabase,
    /// The processes of the database are stopped, and continue.
    PauseDatabase,
}

/// All faults. Every run has each of them.
pub(crate) const KINDS: [FaultKind; 7] = [
    FaultKind::Kill,
    FaultKind::End,
    FaultKind::CutDatabase,
    FaultKind::CutReplicas,
    FaultKind::Isolate,
    FaultKind::RestartDatabase,
    FaultKind::PauseDatabase,
];

/// One line of the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    /// The time since the end of the previous fault.
    pub(super) pause: Duration,
    pub(super) kind: FaultKind,
    /// The replica, and another one.
    pub(super) replica: usize,
    pub(super) other: usize,
    /// The time until the fault is undone.
    pub(super) time: Duration,
}

/// The endless schedule of a run: rounds in which each fault occurs once.
#[derive(Debug)]
pub(super) struct Plan {
    random: Random,
    replicas: usize,
    /// The faults of the round that are left.
    round: Vec<FaultKind>,
}

impl Plan {
    pub(super) fn new(seed: u64, replicas: usize) -> Self {
        Self { random: Random::new(seed, STREAM), replicas, round: Vec::new() }
    }

    pub(super) fn next(&mut self) -> Fault {
        if self.round.is_empty() {
            self.round = KINDS.to_vec();
        }
        let kind = self.round.swap_remove(self.random.below(self.round.len()));
        let pause = self.random.millis(1000..2500);
        let replica = self.random.below(self.replicas);
        let other = (replica + 1 + self.random.below(self.replicas - 1)) % self.replicas;
        let time = match kind {
            FaultKind::Kill | FaultKind::End => self.random.millis(0..2000),
            FaultKind::RestartDatabase => Duration::ZERO,
            FaultKind::PauseDatabase => self.random.millis(300..4000),
            FaultKind::CutDatabase | FaultKind::CutReplicas | FaultKind::Isolate => {
                self.random.millis(1000..6000)
            }
        };
        Fault { pause, kind, replica, other, time }
    }
}

impl FaultKind {
    /// Returns the name of the fault in the table.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Kill => "replicas killed",
            Self::End => "replicas asked to end",
            Self::CutDatabase => "replicas cut off from the database",
            Self::CutReplicas => "replicas cut off from each other",
            Self::Isolate => "replicas taken off the network",
            Self::RestartDatabase => "restarts of the database",
            Self::PauseDatabase => "pauses of the database",
        }
    }

    /// Returns whether sessions can go on only after the fault is undone.
    pub(crate) const fn is_of_database(self) -> bool {
        matches!(self, Self::RestartDatabase | Self::PauseDatabase)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_one_schedule_with_every_fault_in_each_round() {
        let faults = |seed| {
            let mut plan = Plan::new(seed, 3);
            [(); 2 * KINDS.len()].map(|()| plan.next())
        };
        assert_eq!(faults(1), faults(1));
        assert_ne!(faults(1), faults(2));
        for round in faults(1).chunks(KINDS.len()) {
            let mut kinds: Vec<_> = round.iter().map(|fault| fault.kind).collect();
            kinds.sort_unstable();
            assert_eq!(kinds, KINDS);
            assert!(
                round
                    .iter()
                    .all(|fault| fault.replica != fault.other && fault.replica < 3 && fault.other < 3)
            );
        }
    }
}

//! The schedule, made from the seed before anything runs.

use crate::{child::OutputFault, random::Random};
use std::time::Duration;

const KILLED: &str = "children killed";
const STOPPED: &str = "children stopped for a while";
const GARBAGE: &str = "garbage on a child's stdout";
const TRUNCATED: &str = "children that end within a message";
const GLUED: &str = "half messages before a message";

/// The faults that every run must have.
pub(super) const KINDS: [&str; 5] = [KILLED, STOPPED, GARBAGE, TRUNCATED, GLUED];

/// A fault of a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// SIGKILL.
    Kill,
    /// SIGSTOP, and SIGCONT after this long.
    Stall(Duration),
    Break(OutputFault),
}

/// One line of the schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The time since the previous fault.
    pub(crate) pause: Duration,
    pub(crate) child: usize,
    pub(crate) what: FaultKind,
}

/// Returns the faults of a run. They end before the run does, so that the system recovers from the last fault within the run.
pub(crate) fn plan(seed: u64, time: Duration, children: usize) -> Vec<Fault> {
    let mut random = Random::new(seed, 0);
    let end = time * 9 / 10;
    let mut at = Duration::ZERO;
    let mut faults = Vec::new();
    loop {
        let pause = random.millis(100..700);
        at += pause;
        if at >= end {
            return faults;
        }
        let what = match random.below(100) {
            0..25 => FaultKind::Kill,
            // Some take longer than the time limit of a call.
            25..50 => FaultKind::Stall(random.millis(200..7000)),
            50..75 => FaultKind::Break(OutputFault::Garbage),
            75..88 => FaultKind::Break(OutputFault::Truncated),
            _ => FaultKind::Break(OutputFault::Glued),
        };
        faults.push(Fault { pause, child: random.below(children), what });
    }
}

impl FaultKind {
    /// Returns the name of the fault in the table.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kill => KILLED,
            Self::Stall(_) => STOPPED,
            Self::Break(OutputFault::Garbage) => GARBAGE,
            Self::Break(OutputFault::Truncated) => TRUNCATED,
            Self::Break(OutputFault::Glued) => GLUED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_one_schedule_and_every_fault_is_in_it() {
        let time = Duration::from_secs(60);
        let faults = plan(1, time, 50);
        assert_eq!(faults, plan(1, time, 50));
        assert_ne!(faults, plan(2, time, 50));
        let names: std::collections::BTreeSet<_> = faults.iter().map(|fault| fault.what.name()).collect();
        assert_eq!(names, KINDS.into_iter().collect());
        assert!(faults.iter().map(|fault| fault.pause).sum::<Duration>() < time);
        assert!(faults.iter().all(|fault| fault.child < 50));
    }
}

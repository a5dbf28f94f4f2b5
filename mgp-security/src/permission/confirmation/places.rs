//! The slots of calls that wait for a confirmation.

use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};

/// The most calls that wait for a confirmation. Further calls are refused at once, with the id of their question.
const MAX_WAITING: usize = 256;

/// The most of these calls from one agent, so that no agent takes all slots.
pub(super) const MAX_WAITING_OF_AGENT: usize = 64;

/// The slots of calls that wait for a confirmation.
#[derive(Debug, Clone, Default)]
pub(super) struct WaitingPlaces(Arc<Mutex<PlaceCounts>>);

#[derive(Debug, Default)]
struct PlaceCounts {
    all: usize,
    of_agents: HashMap<Arc<str>, usize>,
}

/// The slot of one call, which is free again when this is dropped.
#[derive(Debug)]
pub(super) struct WaitingPlace {
    places: WaitingPlaces,
    agent: Arc<str>,
}

impl WaitingPlaces {
    /// Takes a slot for a call of an agent. `None` if the agent's slots, or all slots, are taken.
    pub(super) fn take(&self, agent: &str) -> Option<WaitingPlace> {
        let mut counts = self.0.lock();
        let (agent, of_agent) = match counts.of_agents.get_key_value(agent) {
            Some((agent, count)) => (agent.clone(), *count),
            None => (agent.into(), 0),
        };
        if counts.all >= MAX_WAITING || of_agent >= MAX_WAITING_OF_AGENT {
            return None;
        }
        counts.all += 1;
        counts.of_agents.insert(agent.clone(), of_agent + 1);
        drop(counts);
        Some(WaitingPlace { places: self.clone(), agent })
    }
}

impl Drop for WaitingPlace {
    fn drop(&mut self) {
        let mut counts = self.places.0.lock();
        counts.all -= 1;
        if let Some(count) = counts.of_agents.get_mut(&self.agent) {
            *count -= 1;
            if *count == 0 {
                counts.of_agents.remove(&self.agent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_s_slots_are_bounded_and_freed_after_the_call() {
        let places = WaitingPlaces::default();
        let take = |agent: &str| places.take(agent);
        let mut taken: Vec<_> = (0..1000).map_while(|_| take("ann")).collect();
        assert_eq!(taken.len(), MAX_WAITING_OF_AGENT);
        assert!(take("ben").is_some(), "another agent has a place");
        drop(taken.pop());
        assert!(take("ann").is_some());
        let others: Vec<_> = (0..1000).filter_map(|i| take(&format!("agent {i}"))).collect();
        assert_eq!(taken.len() + others.len(), MAX_WAITING);
        drop((taken, others));
        let counts = places.0.lock();
        assert!(counts.all == 0 && counts.of_agents.is_empty(), "{counts:?}");
    }
}

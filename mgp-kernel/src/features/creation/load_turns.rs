//! The turns for loading code that is not a tool yet.

use mgp_types::{
    error::{ErrorCode, Recovery},
    rpc::ErrorObject,
};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::{
    sync::{AcquireError, Mutex as TurnMutex, OwnedMutexGuard, Semaphore, SemaphorePermit},
    time::timeout,
};

/// The maximum number of concurrent loads.
const MAX_LOADS: usize = 4;

/// The turns for loading code. An agent has one at a time over all of its sessions, so that it cannot block other agents.
#[derive(Debug)]
pub(super) struct LoadTurns {
    all: Semaphore,
    /// The turn of each agent that has one or waits for one.
    agents: Mutex<HashMap<Box<str>, Arc<TurnMutex<()>>>>,
}

/// A turn for loading code, until this value is dropped.
#[derive(Debug)]
pub(super) struct LoadTurn<'a> {
    _one_of_all: Result<SemaphorePermit<'a>, AcquireError>,
    _of_agent: OwnedMutexGuard<()>,
    _place: AgentPlace<'a>,
}

/// A request's entry among those of its agent. The last one to leave removes the agent.
#[derive(Debug)]
struct AgentPlace<'a> {
    turns: &'a LoadTurns,
    agent: Box<str>,
    turn: Arc<TurnMutex<()>>,
}

impl LoadTurns {
    pub(super) fn new() -> Self {
        Self { all: Semaphore::new(MAX_LOADS), agents: Mutex::default() }
    }

    /// Waits for a turn of an agent, at most for the maximum duration of one load.
    ///
    /// # Errors
    /// 3001 if there was no turn in time, with the time after which one may be free.
    pub(super) async fn take(&self, agent: &str, longest: Duration) -> Result<LoadTurn<'_>, ErrorObject> {
        let turn = async {
            let place = self.place(agent);
            let of_agent = place.turn.clone().lock_owned().await;
            LoadTurn { _one_of_all: self.all.acquire().await, _of_agent: of_agent, _place: place }
        };
        timeout(longest, turn).await.map_err(|_| {
            let code = ErrorCode::ResourceExhausted;
            let problem = format!(
                "other code is being loaded, and had not ended after {} ms: an agent has one tool made at a time, and all agents together \
                 {MAX_LOADS}",
                longest.as_millis()
            );
            let ms = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
            code.error_with(problem, Recovery::unsent(code).after_ms(ms))
        })
    }

    fn place(&self, agent: &str) -> AgentPlace<'_> {
        let turn = self.agents.lock().entry(agent.into()).or_default().clone();
        AgentPlace { turns: self, agent: agent.into(), turn }
    }
}

impl Drop for AgentPlace<'_> {
    fn drop(&mut self) {
        let mut agents = self.turns.agents.lock();
        // Dropped before the lock is, so that of two entries that end concurrently, the second is the last.
        let turn = std::mem::take(&mut self.turn);
        // One reference is the map's, and one is this entry's.
        if Arc::strong_count(&turn) == 2 {
            agents.remove(&self.agent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(20);

    #[tokio::test(start_paused = true)]
    async fn an_agent_has_at_most_one_turn() {
        let turns = LoadTurns::new();
        let held = turns.take("ann", LONGEST).await.unwrap();
        let refused = turns.take("ann", LONGEST).await.unwrap_err();
        assert_eq!(refused.code, 3001);
        let advice = Recovery::from_error(&refused).unwrap();
        assert_eq!((advice.retryable, advice.retry_after_ms), (true, Some(20_000)), "{refused}");
        let others = [turns.take("bob", LONGEST).await, turns.take("cid", LONGEST).await];
        let last = turns.take("dan", LONGEST).await.unwrap();
        assert_eq!(turns.take("eve", LONGEST).await.unwrap_err().code, 3001, "there are {MAX_LOADS}");
        drop(last);
        turns.take("eve", LONGEST).await.unwrap();
        drop((held, others));
        assert!(turns.agents.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_agent_gets_the_turn_when_it_ends() {
        let turns = LoadTurns::new();
        let held = turns.take("ann", LONGEST).await.unwrap();
        let next = async {
            let turn = turns.take("ann", LONGEST).await;
            assert_eq!(turns.agents.lock().len(), 1);
            turn.map(drop)
        };
        let end = async {
            tokio::time::sleep(LONGEST / 2).await;
            drop(held);
        };
        let (turn, ()) = tokio::join!(next, end);
        turn.unwrap();
        assert!(turns.agents.lock().is_empty());
    }
}

//! One question for calls of the same tool that wait at the same time.
//!
//! While a person at a host is asked about one call, further calls of the same agent, session, tool and definition wait for their turn.
//! They are then asked about together. An answer decides only the calls that its question listed.

use super::ConfirmationKey;
use crate::permission::{
    ApprovalTerm, Approver, ConfirmationBatch, ConfirmationQuestion, ConfirmationVerdict,
};
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};
use tokio::sync::{Semaphore, oneshot};

/// The most calls that one question may list. The approver may list fewer.
const MAX_TOGETHER: usize = 64;

/// The calls that may be asked about together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct GroupKey {
    agent_id: String,
    server_id: String,
    tool_name: String,
    definition_sha256: String,
    session: Arc<str>,
}

/// The groups of calls that wait for a person at a host. A group exists while one of its calls waits.
#[derive(Debug, Clone, Default)]
pub(super) struct WaitingGroups(Arc<Mutex<HashMap<GroupKey, Group>>>);

#[derive(Debug)]
struct Group {
    /// Held by the call whose question is asked.
    turn: Arc<Semaphore>,
    /// The calls, in the order of their arrival.
    calls: BTreeMap<u64, GroupedCall>,
    /// The number of the next call.
    next: u64,
}

#[derive(Debug)]
struct GroupedCall {
    question: ConfirmationQuestion,
    /// The channel to the call. Taken when the answer is sent.
    answer: Option<oneshot::Sender<Option<ConfirmationVerdict>>>,
}

/// A call's place in its group, which ends when it is dropped.
struct Place<'a> {
    groups: &'a WaitingGroups,
    key: GroupKey,
    number: u64,
    turn: Arc<Semaphore>,
    answer: oneshot::Receiver<Option<ConfirmationVerdict>>,
}

impl WaitingGroups {
    /// Asks about a call, together with the waiting calls of its group. `None` if nobody decided.
    pub(super) async fn ask(
        &self,
        approver: &dyn Approver,
        key: &ConfirmationKey,
        question: &ConfirmationQuestion,
    ) -> Option<ConfirmationVerdict> {
        let Some(session) = &question.session else {
            return approver.confirm_together(ConfirmationBatch::of_one(question)).await;
        };
        let mut place = self.enter(GroupKey::new(key, session), question.clone());
        let turn = place.turn.clone();
        // The semaphore is never closed, so its turn comes unless the answer comes first.
        let _turn = tokio::select! {
            biased;
            Ok(verdict) = &mut place.answer => return verdict,
            turn = turn.acquire() => turn,
        };
        let (numbers, calls) = place.waiting();
        let listed = if calls.len() == 1 { vec![0] } else { approver.listed_together(&calls) };
        // The asking call is the first, whatever the approver lists.
        let listed = |at: usize| at == 0 || listed.contains(&at);
        let (numbers, calls): (Vec<_>, Vec<_>) = numbers
            .into_iter()
            .zip(calls)
            .enumerate()
            .filter_map(|(at, call)| listed(at).then_some(call))
            .unzip();
        let more = place.count().saturating_sub(calls.len());
        let verdict = approver.confirm_together(ConfirmationBatch { calls: &calls, more }).await;
        let verdict = if calls.len() == 1 { verdict } else { verdict.map(once) };
        place.tell(&numbers, verdict.as_ref());
        verdict
    }

    fn enter(&self, key: GroupKey, question: ConfirmationQuestion) -> Place<'_> {
        let (told, answer) = oneshot::channel();
        let mut groups = self.0.lock();
        let group = groups.entry(key.clone()).or_insert_with(|| Group {
            turn: Arc::new(Semaphore::new(1)),
            calls: BTreeMap::new(),
            next: 0,
        });
        let (number, turn) = (group.next, group.turn.clone());
        group.next += 1;
        group.calls.insert(number, GroupedCall { question, answer: Some(told) });
        Place { groups: self, key, number, turn, answer }
    }
}

impl Place<'_> {
    /// Returns the numbers and the questions of the unanswered calls: this call first, the others in the order of their arrival.
    fn waiting(&self) -> (Vec<u64>, Vec<ConfirmationQuestion>) {
        let groups = self.groups.0.lock();
        let Some(group) = groups.get(&self.key) else { return (Vec::new(), Vec::new()) };
        let this = group.calls.get_key_value(&self.number);
        let others =
            group.calls.iter().filter(|(number, call)| **number != self.number && call.answer.is_some());
        let calls = this.into_iter().chain(others).take(MAX_TOGETHER);
        calls.map(|(number, call)| (*number, call.question.clone())).unzip()
    }

    /// Returns the number of unanswered calls, including this one.
    fn count(&self) -> usize {
        let groups = self.groups.0.lock();
        groups
            .get(&self.key)
            .map_or(1, |group| group.calls.values().filter(|call| call.answer.is_some()).count())
    }

    /// Sends an answer to calls that still wait. This call gets none, because it has the verdict already.
    fn tell(&self, numbers: &[u64], verdict: Option<&ConfirmationVerdict>) {
        let mut groups = self.groups.0.lock();
        let Some(group) = groups.get_mut(&self.key) else { return };
        for number in numbers {
            if let Some(answer) = group.calls.get_mut(number).and_then(|call| call.answer.take()) {
                // A call that no longer waits needs no answer.
                let _ = answer.send(verdict.cloned());
            }
        }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut groups = self.groups.0.lock();
        if let Some(group) = groups.get_mut(&self.key) {
            group.calls.remove(&self.number);
            if group.calls.is_empty() {
                groups.remove(&self.key);
            }
        }
    }
}

impl GroupKey {
    fn new(key: &ConfirmationKey, session: &Arc<str>) -> Self {
        Self {
            agent_id: key.agent_id.clone(),
            server_id: key.server_id.clone(),
            tool_name: key.tool_name.clone(),
            definition_sha256: key.definition_sha256.clone(),
            session: session.clone(),
        }
    }
}

/// Returns the verdict with an approval of each call once.
fn once(verdict: ConfirmationVerdict) -> ConfirmationVerdict {
    match verdict {
        ConfirmationVerdict::Approved { by, .. } => {
            ConfirmationVerdict::Approved { by, term: ApprovalTerm::Once }
        }
        other => other,
    }
}

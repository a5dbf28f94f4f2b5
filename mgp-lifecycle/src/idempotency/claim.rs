//! The path of a call with a key: to its server, or to the answer of the first call with the key.

use super::{
    Claim, Entry, EntryBounds, EntryId, EntryState, KeptAnswer, NewEntry, Outcome, StoreError, answer,
    entry::arguments_digest,
    keys::Keys,
    outcome::outcome,
    own_task::{CancelBridge, run_in_own_task},
    running::{CallEnd, CallPlace, RunningCall},
};
use crate::transaction::CompensationMark;
use jiff::{SignedDuration, Timestamp};
use mgp_transport::seam::{CallRecord, CancelToken, Refusal, RefusalKind, Reply, ToolCall};
use mgp_types::{
    idempotency::{IDEMPOTENCY_KEY, IdempotencyKey},
    json::RawJson,
};
use std::{
    future::{pending, poll_fn},
    sync::Arc,
    time::Duration,
};
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until},
};
use tower_service::Service;

/// The interval at which the store is checked for changes while a call waits for a call of another process.
const POLL: Duration = Duration::from_millis(100);

/// The time after which another process's call is checked again, because that process may be gone.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// A call with a key.
pub(super) struct KeyedCall {
    keys: Arc<Keys>,
    key: IdempotencyKey,
    ttl: Duration,
    id: EntryId,
    arguments: [u8; 32],
    call: ToolCall,
    since: Instant,
}

/// The end of a wait.
enum WaitEnd<T> {
    Over(T),
    Refused(Refusal),
}

impl KeyedCall {
    pub(super) fn new(keys: Arc<Keys>, key: IdempotencyKey, ttl: Duration, call: ToolCall) -> Self {
        let (id, arguments) = (EntryId::of(&call, &key), arguments_digest(&call));
        Self { keys, key, ttl, id, arguments, call, since: Instant::now() }
    }

    /// Makes the call, or replies with the answer of the first call with its key.
    pub(super) async fn run<S>(mut self, inner: S) -> Result<Reply, S::Error>
    where
        S: Service<ToolCall, Response = Reply, Error: Send, Future: Send> + Send + 'static,
    {
        loop {
            match self.keys.running.join(&self.id, self.arguments) {
                CallPlace::Conflict => return Ok(self.refuse(answer::conflict(&self.key))),
                CallPlace::First(running) => return self.first(running, inner).await,
                CallPlace::Taken { end, is_same } => match self.wait_for(end).await {
                    WaitEnd::Over(Some(end)) if is_same => return Ok(self.answer(end)),
                    WaitEnd::Over(Some(_)) => return Ok(self.refuse(answer::conflict(&self.key))),
                    // The first call ended without an answer that could be kept, so another call becomes the first.
                    WaitEnd::Over(None) => {}
                    WaitEnd::Refused(refusal) => return Ok(self.refuse(refusal)),
                },
            }
        }
    }

    /// Claims the key, and makes the call if the key has no entry.
    async fn first<S>(mut self, mut running: RunningCall, inner: S) -> Result<Reply, S::Error>
    where
        S: Service<ToolCall, Response = Reply, Error: Send, Future: Send> + Send + 'static,
    {
        let mut seen = None;
        loop {
            let now = (self.keys.now)();
            let claim = match self.claim(running, now).await {
                Ok((own, claim)) => {
                    running = own;
                    claim
                }
                Err(error) => return Ok(self.refuse(answer::unstored(&error))),
            };
            let entry = match claim {
                Claim::Exists(entry) => *entry,
                Claim::New => return self.make(running, now, inner).await,
                Claim::Full { bound, room_at } => {
                    return Ok(self.refuse(answer::full(bound, room_at, now)));
                }
            };
            let Entry { arguments, made_at, state } = entry;
            if arguments != self.arguments {
                return Ok(self.refuse(answer::conflict(&self.key)));
            }
            let end = match state {
                EntryState::Done(answer) => CallEnd::Done(Arc::new(answer), made_at),
                EntryState::Unknown => CallEnd::Unknown(made_at),
                EntryState::Pending { here: true } => {
                    // Its future was dropped before the end could be stored.
                    self.store(&Outcome::Unknown).await;
                    CallEnd::Unknown(made_at)
                }
                EntryState::Pending { here: false } => {
                    if let WaitEnd::Refused(refusal) = self.change(&mut seen).await {
                        return Ok(self.refuse(refusal));
                    }
                    continue;
                }
            };
            running.finish(end.clone());
            // After a wait at a gate, rights are checked again before a call reaches its server, and before an answer reaches its caller.
            if self.call.waited
                && let Err(refusal) = self.judge()
            {
                return Ok(self.refuse(refusal));
            }
            return Ok(self.answer(end));
        }
    }

    /// Claims the key in a separate task. If the call is dropped meanwhile, the key is still claimed, and has to be freed.
    async fn claim(&self, running: RunningCall, now: Timestamp) -> Result<(RunningCall, Claim), StoreError> {
        let new = new_entry(&self.call, (self.id.clone(), self.arguments), now, self.ttl);
        let (keys, id, bounds) = (self.keys.clone(), self.id.clone(), bounds(&self.call, &self.keys));
        let claimed = tokio::spawn(async move {
            let claim = keys.store.claim(new, bounds).await?;
            Ok::<_, StoreError>(OpenClaim(Some(ClaimEnd { keys, id, running, claim })))
        });
        let claimed = claimed.await.map_err(|error| StoreError::new(error.to_string()))??;
        claimed.take().ok_or_else(|| StoreError::new("the claim was lost"))
    }

    async fn store(&self, outcome: &Outcome) {
        store(&self.keys, &self.id, Some(outcome.clone())).await;
    }

    /// Makes the call, whose entry is stored. The call runs to completion even if its caller disconnects: others may wait for its answer, and
    /// the caller may ask for it again.
    async fn make<S>(self, running: RunningCall, made_at: Timestamp, mut inner: S) -> Result<Reply, S::Error>
    where
        S: Service<ToolCall, Response = Reply, Error: Send, Future: Send> + Send + 'static,
    {
        let Self { keys, key, id, mut call, .. } = self;
        let record = call.record.clone();
        note_in(&record, &key, false);
        running.make();
        let bridge = CancelBridge::of(&mut call);
        let open = OpenEntry(Some(ClaimedCall { keys, id, record: record.clone(), running, made_at }));
        let made = run_in_own_task(bridge, async move {
            let reply = match poll_fn(|cx| inner.poll_ready(cx)).await {
                Ok(()) => inner.call(call).await,
                Err(error) => Err(error),
            };
            let outcome = outcome(reply.as_ref().ok(), &record);
            let is_kept = outcome.is_some();
            open.close(outcome).await;
            (reply, is_kept)
        });
        let (reply, is_kept) = made.await;
        let reply = reply?;
        Ok(if is_kept { answer::noted(reply, &answer::note(&key, made_at, false)) } else { reply })
    }

    /// Waits for a call of this process. Yields `None` if the call ended without an answer to keep.
    async fn wait_for(&mut self, mut end: watch::Receiver<CallEnd>) -> WaitEnd<Option<CallEnd>> {
        let ended = async {
            let ended = end.wait_for(|end| !matches!(end, CallEnd::Running)).await;
            ended.ok().map(|end| end.clone())
        };
        self.wait(ended).await
    }

    /// Waits until another process has changed the store, or may be gone.
    async fn change(&mut self, seen: &mut Option<i64>) -> WaitEnd<()> {
        let (store, before) = (self.keys.store.clone(), *seen);
        let changed = async {
            let mut version = store.version().await.ok();
            let until = Instant::now() + LOOK_AGAIN;
            // The first time, the change may predate the read of the version.
            while before.is_some() && version == before && Instant::now() < until {
                sleep(POLL).await;
                version = store.version().await.ok();
            }
            version
        };
        match self.wait(changed).await {
            WaitEnd::Over(version) => {
                *seen = version;
                WaitEnd::Over(())
            }
            WaitEnd::Refused(refusal) => WaitEnd::Refused(refusal),
        }
    }

    /// Waits for an event, until the caller cancels or the wait times out. Afterwards the call is judged again.
    async fn wait<T>(&mut self, event: impl Future<Output = T>) -> WaitEnd<T> {
        let cancelled = self.call.cancel_token().map(CancelToken::cancelled);
        let cancelled = async {
            match cancelled {
                Some(cancelled) => cancelled.await,
                None => pending().await,
            }
        };
        let limit = self.keys.settings.wait;
        let ended = tokio::select! {
            biased;
            event = event => event,
            () = cancelled => {
                let reason = "the caller cancelled while it waited for the first call with its idempotency key";
                return WaitEnd::Refused(Refusal::cancelled(RefusalKind::Idempotency, reason));
            }
            () = sleep_until(self.since + limit) => {
                self.note_begun();
                return WaitEnd::Refused(answer::still_running(&self.key, limit));
            }
        };
        self.call.waited = true;
        match self.judge() {
            Ok(()) => WaitEnd::Over(ended),
            Err(refusal) => WaitEnd::Refused(refusal),
        }
    }

    /// Judges the call again after a wait.
    fn judge(&self) -> Result<(), Refusal> {
        self.keys.judge.as_ref().map_or(Ok(()), |judge| judge(&self.call))
    }

    /// Replies with the end of the first call.
    fn answer(&self, end: CallEnd) -> Reply {
        match end {
            CallEnd::Done(answer, made_at) => {
                note_in(&self.call.record, &self.key, true);
                // The kept answer is the server's own, unless it was too large.
                if !matches!(&*answer, KeptAnswer::Dropped { .. }) {
                    self.call.record.update(|record| record.answered = Some(true));
                }
                let note = answer::note(&self.key, made_at, true);
                let answer = match (&*answer, &self.keys.fit) {
                    (KeptAnswer::Result(result), Some(fit)) => match fit(&self.call, result.clone()) {
                        Ok(result) => KeptAnswer::Result(result),
                        Err(error) => return Reply::error(error),
                    },
                    (answer, _) => answer.clone(),
                };
                answer::kept(answer, &note)
            }
            CallEnd::Unknown(made_at) => {
                self.note_begun();
                self.refuse(answer::unknown(&answer::note(&self.key, made_at, true)))
            }
            // No wait ends with it.
            CallEnd::Running => self.refuse(answer::still_running(&self.key, self.since.elapsed())),
        }
    }

    /// Records that the first call has begun, so that no fallback is called instead.
    fn note_begun(&self) {
        self.call.record.update(|record| record.begun = true);
    }

    fn refuse(&self, refusal: Refusal) -> Reply {
        refusal.recorded(&self.call.record)
    }
}

/// Returns the entry for a call that is made now.
pub(super) fn new_entry(
    call: &ToolCall,
    (id, arguments): (EntryId, [u8; 32]),
    now: Timestamp,
    ttl: Duration,
) -> NewEntry {
    let ttl = SignedDuration::try_from(ttl).unwrap_or(SignedDuration::MAX);
    NewEntry {
        id,
        caller: call.principal.id().to_owned(),
        arguments,
        made_at: now,
        expires_at: now.checked_add(ttl).unwrap_or(Timestamp::MAX),
    }
}

/// Returns the bounds for a call. A call that undoes a step of a transaction may exceed its caller's number of keys, up to twice that number:
/// otherwise the transaction could not be rolled back.
pub(super) fn bounds(call: &ToolCall, keys: &Keys) -> EntryBounds {
    let bounds = keys.settings.bounds;
    if CompensationMark::of_call(call).is_none() {
        return bounds;
    }
    EntryBounds { entries: bounds.entries.saturating_mul(2), ..bounds }
}

/// Notes in a call's record, for the audit trail, that the call carried a key.
fn note_in(record: &CallRecord, key: &IdempotencyKey, was_replay: bool) {
    record.update(|record| {
        record.details.push((IDEMPOTENCY_KEY, RawJson::string(key.as_str())));
        record.details.push(("was_replay", was_replay.into()));
        if was_replay {
            // Nothing was sent, but the reply is still the server's.
            record.answered = Some(true);
        }
    });
}

/// Stores the end of a call; `None` frees its key.
async fn store(keys: &Keys, id: &EntryId, outcome: Option<Outcome>) {
    let stored = match outcome {
        Some(outcome) => keys.store.keep(id, outcome, keys.settings.bounds).await,
        None => keys.store.release(id).await,
    };
    if let Err(error) = stored {
        // The entry stays unchanged, so the call's outcome will read as unknown.
        tracing::error!(%error, key = id.key, "the answer to a call with an idempotency key could not be kept");
    }
}

/// A claim that its call has not received yet. If the call is dropped before, the key is freed.
struct OpenClaim(Option<ClaimEnd>);

struct ClaimEnd {
    keys: Arc<Keys>,
    id: EntryId,
    running: RunningCall,
    claim: Claim,
}

impl OpenClaim {
    fn take(mut self) -> Option<(RunningCall, Claim)> {
        self.0.take().map(|end| (end.running, end.claim))
    }
}

impl Drop for OpenClaim {
    fn drop(&mut self) {
        let Some(ClaimEnd { keys, id, running, claim: Claim::New }) = self.0.take() else { return };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                store(&keys, &id, None).await;
                drop(running);
            });
        }
    }
}

/// The entry of a call that runs. If it is dropped because the call panicked, the end is still stored.
struct OpenEntry(Option<ClaimedCall>);

struct ClaimedCall {
    keys: Arc<Keys>,
    id: EntryId,
    record: CallRecord,
    running: RunningCall,
    made_at: Timestamp,
}

impl OpenEntry {
    async fn close(mut self, outcome: Option<Outcome>) {
        if let Some(open) = self.0.take() {
            open.close(outcome).await;
        }
    }
}

impl ClaimedCall {
    /// Stores the end before it notifies the waiting calls: a call that finds no running one reads the store.
    async fn close(self, outcome: Option<Outcome>) {
        let Self { keys, id, running, made_at, .. } = self;
        store(&keys, &id, outcome.clone()).await;
        match outcome {
            Some(Outcome::Done(answer)) => running.finish(CallEnd::Done(Arc::new(answer), made_at)),
            Some(Outcome::Unknown) => running.finish(CallEnd::Unknown(made_at)),
            None => drop(running),
        }
    }
}

impl Drop for OpenEntry {
    fn drop(&mut self) {
        let Some(open) = self.0.take() else { return };
        let outcome = outcome(None, &open.record);
        // Without a runtime the process is ending, and the entry of an ended process reads as unknown.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(open.close(outcome));
        }
    }
}

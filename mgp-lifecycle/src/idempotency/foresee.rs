//! Dry runs of calls with a key: the outcome of the real call, without an entry.

use super::{
    Claim, Entry, EntryId, EntryState, KeptAnswer, answer,
    claim::{bounds, new_entry},
    entry::arguments_digest,
    keys::Keys,
};
use mgp_transport::seam::{Refusal, Reply, ToolCall};
use mgp_types::{idempotency::IdempotencyKey, json::RawJson};
use std::{future::poll_fn, sync::Arc, time::Duration};
use tower_service::Service;

/// Judges a call with a key by the call made under the key, or else by the room for one more key and by `inner`.
pub(super) async fn foresee<S>(
    keys: Arc<Keys>,
    (key, ttl): (IdempotencyKey, Duration),
    call: ToolCall,
    mut inner: S,
) -> Result<Reply, S::Error>
where
    S: Service<ToolCall, Response = Reply>,
{
    let (id, arguments) = (EntryId::of(&call, &key), arguments_digest(&call));
    let refused = |refusal: Refusal| Ok(refusal.recorded(&call.record));
    match keys.running.has_conflict(&id, arguments) {
        Some(true) => return refused(answer::conflict(&key)),
        // The real call would wait for its answer.
        Some(false) => return Ok(allowed()),
        None => {}
    }
    let now = (keys.now)();
    let new = new_entry(&call, (id, arguments), now, ttl);
    let entry = match keys.store.foresee(new, bounds(&call, &keys)).await {
        Err(error) => return refused(answer::unstored(&error)),
        Ok(Claim::Full { bound, room_at }) => return refused(answer::full(bound, room_at, now)),
        Ok(Claim::Exists(entry)) => Some(*entry),
        Ok(Claim::New) => None,
    };
    match entry {
        Some(entry) if entry.arguments != arguments => refused(answer::conflict(&key)),
        Some(Entry { state, made_at, .. }) => {
            let note = answer::note(&key, made_at, true);
            match state {
                EntryState::Done(KeptAnswer::Result(_)) | EntryState::Pending { here: false } => {
                    Ok(allowed())
                }
                EntryState::Done(kept) => Ok(answer::kept(kept, &note)),
                EntryState::Unknown | EntryState::Pending { here: true } => refused(answer::unknown(&note)),
            }
        }
        None => {
            poll_fn(|cx| inner.poll_ready(cx)).await?;
            inner.call(call).await
        }
    }
}

/// Returns the reply to a dry run of a call that is not refused.
fn allowed() -> Reply {
    Reply::ok(RawJson::empty_object())
}

//! The answers to calls with a key.

use super::{EntryBound, KeptAnswer};
use jiff::Timestamp;
use mgp_transport::seam::{Refusal, RefusalKind, Reply};
use mgp_types::{
    error::{ErrorCode, Recovery, RetryStrategy},
    idempotency::{IDEMPOTENCY_CONFLICT, IdempotencyKey, ReplayNote},
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use std::time::Duration;

/// The pause after which a caller may ask again about a call that still runs.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// Returns the note on a call's answer.
pub(super) fn note(key: &IdempotencyKey, made_at: Timestamp, was_replay: bool) -> ReplayNote {
    // Whole microseconds, as stores keep them, so that every answer has the same time.
    let made_at = Timestamp::from_microsecond(made_at.as_microsecond()).unwrap_or(made_at);
    ReplayNote { key: key.clone(), was_replay, original_timestamp: made_at.to_string() }
}

/// Returns the reply to a call that was made, with its note. An unreadable result is left unchanged, and so is the note of a server that
/// keeps keys itself.
pub(super) fn noted(reply: Reply, note: &ReplayNote) -> Reply {
    if reply.is_cancelled() {
        return reply;
    }
    if let Some(error) = reply.as_error() {
        return Reply::error(noted_error(error.clone(), note));
    }
    let Some(Ok(mut result)) = reply.result().map(RawObject::from_json) else { return reply };
    if ReplayNote::of(&result).is_none_or(|own| own.key != note.key || note.was_replay) {
        note.write(&mut result);
    }
    Reply::ok(result.to_json())
}

fn noted_error(error: ErrorObject, note: &ReplayNote) -> ErrorObject {
    let mut data = match error.data.as_ref().map(RawObject::from_json) {
        None => RawObject::new(),
        Some(Ok(data)) => data,
        // In a form specific to the server.
        Some(Err(_)) => return error,
    };
    note.write(&mut data);
    error.with_data(data.to_json())
}

/// Returns the answer that was kept, as the reply to a later call.
pub(super) fn kept(answer: KeptAnswer, note: &ReplayNote) -> Reply {
    match answer {
        KeptAnswer::Result(result) => noted(Reply::ok(result), note),
        KeptAnswer::Error(error) => noted(Reply::error(error), note),
        KeptAnswer::Dropped { bytes, is_error } => {
            let ReplayNote { key, original_timestamp, .. } = note;
            let answer = if is_error { "an error" } else { "a result" };
            let message = format!(
                "the call with the idempotency key {key} was made at {original_timestamp} and answered with {answer} of {bytes} bytes, \
                 which was too large to keep; it is not made again"
            );
            let mut details = RawObject::new();
            details.insert("outcome", RawJson::string("done"));
            details.insert("is_error", is_error.into());
            if let Ok(bytes) = RawJson::from_value(&bytes) {
                details.insert("bytes", bytes);
            }
            let advice = Recovery::of(ErrorCode::ResourceNotFound).with_details(details);
            Reply::error(noted_error(ErrorCode::ResourceNotFound.error_with(message, advice), note))
        }
    }
}

/// Returns the refusal of a call whose key belongs to a call with an unknown outcome.
pub(super) fn unknown(note: &ReplayNote) -> Refusal {
    let ReplayNote { key, original_timestamp, .. } = note;
    let error = ErrorCode::UpstreamError.error_outcome_unknown(format!(
        "the outcome of the call with the idempotency key {key} is unknown: it was sent at {original_timestamp} and its answer never \
         came; it is not sent again: find out whether it took effect, and if it did not, call again with another key"
    ));
    Refusal::new(RefusalKind::Idempotency, noted_error(error, note))
}

/// Returns the refusal of a call whose key was used with other arguments.
pub(super) fn conflict(key: &IdempotencyKey) -> Refusal {
    let error = ErrorCode::InvalidToolArgs.error(format!(
        "{IDEMPOTENCY_CONFLICT}: the idempotency key {key} was used for this tool with other arguments: expected the same arguments, or \
         another key"
    ));
    let mut data = error.data.as_ref().and_then(|data| RawObject::from_json(data).ok()).unwrap_or_default();
    data.insert("code", RawJson::string(IDEMPOTENCY_CONFLICT));
    data.insert("field", RawJson::string("_meta.idempotency_key"));
    Refusal::new(RefusalKind::Idempotency, error.with_data(data.to_json()))
}

/// Returns the refusal of a call whose wait for the first call with its key has timed out.
pub(super) fn still_running(key: &IdempotencyKey, waited: Duration) -> Refusal {
    let mut details = RawObject::new();
    details.insert("outcome", RawJson::string("pending"));
    let pause = u64::try_from(ASK_AGAIN.as_millis()).unwrap_or(u64::MAX);
    let advice = Recovery::of(ErrorCode::Timeout)
        .with_retry(RetryStrategy::FixedDelay)
        .after_ms(pause)
        .with_details(details);
    let message = format!(
        "the call with the idempotency key {key} still runs after {} ms: ask for its answer with the same key again",
        waited.as_millis()
    );
    Refusal::new(RefusalKind::Idempotency, ErrorCode::Timeout.error_with(message, advice))
}

/// Returns the refusal of a call whose key does not fit within the bounds.
pub(super) fn full(bound: EntryBound, room_at: Option<Timestamp>, now: Timestamp) -> Refusal {
    let EntryBound::Entries(entries) = bound;
    let mut advice = Recovery::unsent(ErrorCode::ResourceExhausted);
    if let Some(room_at) = room_at {
        let ms = room_at.as_millisecond().saturating_sub(now.as_millisecond());
        advice = advice.after_ms(u64::try_from(ms).unwrap_or(0));
    }
    let message = format!(
        "the caller has {entries} idempotency keys, the limit (idempotency.max_keys): wait until one expires, or call without a key"
    );
    Refusal::new(RefusalKind::Idempotency, ErrorCode::ResourceExhausted.error_with(message, advice))
}

/// Returns the refusal of a call whose key cannot be stored. Without its entry it could be made twice.
pub(super) fn unstored(error: &mgp_store::StoreError) -> Refusal {
    let message = format!("the idempotency key cannot be kept, so the call was not sent: {error}");
    Refusal::new(RefusalKind::Idempotency, ErrorCode::ResourceExhausted.error_unsent(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> IdempotencyKey {
        IdempotencyKey::new(text).unwrap()
    }

    #[test]
    fn a_server_s_own_idempotency_holds_until_the_kernel_replays() {
        let theirs = ReplayNote { key: key("k"), was_replay: true, original_timestamp: "then".to_owned() };
        let mut result = RawObject::new();
        theirs.write(&mut result);
        let reply = Reply::ok(result.to_json());
        let said = |note: &ReplayNote| {
            let noted = noted(reply.clone(), note);
            ReplayNote::of(&RawObject::from_json(noted.result().unwrap()).unwrap()).unwrap()
        };
        assert_eq!(said(&note(&key("k"), Timestamp::UNIX_EPOCH, false)), theirs);
        let own = note(&key("k"), Timestamp::UNIX_EPOCH, true);
        assert_eq!(said(&own), own, "the kernel's own replay");
        let other = note(&key("other"), Timestamp::UNIX_EPOCH, false);
        assert_eq!(said(&other), other, "the note of another key is none of this call");
    }
}

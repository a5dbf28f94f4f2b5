//! The sealed token of a checkpoint: valid for one server, one caller, one tool with its arguments, and a limited time.

use crate::seal::{Seal, digest};
use mgp_transport::seam::Incoming;
use mgp_types::{
    checkpoint::{CHECKPOINT_KEY, CheckpointToken},
    json::{JsonError, RawJson},
    rpc::ErrorObject,
    seal::SealError,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The owner of all checkpoint tokens, so that no other sealed token is accepted as one.
const OWNER: &[u8] = b"checkpoint";

/// The longest state, in bytes.
pub(super) const MAX_STATE: usize = 64 * 1024;

/// The longest token, in bytes: that of the longest state, and a little more.
const MAX_TOKEN: usize = 96 * 1024;

/// The contents of a token.
#[derive(Serialize, Deserialize)]
struct SealedCheckpoint {
    /// The digest of the caller and the call. It is content, not the token's owner, so that the error can distinguish the
    /// checkpoint of another call from a changed one.
    call: String,
    state: RawJson,
}

/// Seals the state of a call, identified by its [`digest`].
pub(super) fn close(
    seal: &Seal,
    call: &str,
    state: RawJson,
    until: u64,
) -> Result<CheckpointToken, JsonError> {
    let sealed = RawJson::from_value(&SealedCheckpoint { call: call.to_owned(), state })?;
    Ok(CheckpointToken(seal.key().seal(OWNER, until, sealed.as_bytes())))
}

/// Returns the state in a call; `None` if the call has none.
pub(super) fn open(seal: &Seal, incoming: &Incoming, now: u64) -> Result<Option<RawJson>, ErrorObject> {
    let Some(meta) = incoming.params.object()?.object("_meta") else { return Ok(None) };
    let Some(token) = meta.get(CHECKPOINT_KEY) else { return Ok(None) };
    let invalid = |problem: String| {
        let without = "call the tool without it to begin anew";
        ErrorObject::invalid_params(format!("invalid _meta[{CHECKPOINT_KEY:?}]: {problem}; {without}"))
    };
    let Some(text) = token.to_text() else {
        return Err(invalid(format!("expected a string, found {}", token.kind_without_text())));
    };
    if text.len() > MAX_TOKEN {
        return Err(invalid(format!("expected at most {MAX_TOKEN} bytes, found {}", text.len())));
    }
    let foreign = || invalid("expected a checkpoint of this server, unchanged".to_owned());
    let sealed = seal.key().open(OWNER, &text, now).map_err(|error| match error {
        SealError::Foreign => foreign(),
        SealError::Expired => invalid("it has expired".to_owned()),
    })?;
    let SealedCheckpoint { call, state } = serde_json::from_slice(&sealed).map_err(|_| foreign())?;
    if call != digest(incoming)? {
        let other = "it belongs to a call of another tool, with other arguments or by another caller";
        return Err(invalid(other.to_owned()));
    }
    Ok(Some(state))
}

/// Returns the end of a lifetime, in seconds since 1970.
pub(super) const fn end(now: u64, lifetime: Duration) -> u64 {
    now.saturating_add(lifetime.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_transport::{
        connection::Connection,
        memory,
        seam::{BoxError, CallContext, CancelToken, Reply, Session},
    };
    use mgp_types::{
        context::{ActorType, Principal},
        json::RawObject,
    };

    fn call(params: &RawObject, principal: Option<Principal>) -> Incoming {
        let mut incoming = Incoming::request(1, "tools/call", params.clone());
        if let Some(principal) = principal {
            let session = Session::new("s");
            session.set(principal);
            let answer = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
            let end = memory::pair().0;
            let peer = Connection::builder(answer).session(session).over(end.0, end.1).peer().clone();
            incoming.ext.insert(CallContext { peer, cancel: CancelToken::new() });
        }
        incoming
    }

    fn params(text: &'static str, token: &RawJson) -> RawObject {
        let mut params = RawObject::parse(text).unwrap();
        params.edit("_meta", |meta| meta.insert(CHECKPOINT_KEY, token.clone()).is_none());
        params
    }

    const CALL: &str = r#"{"name":"a","arguments":{"x":1,"y":[2]}}"#;

    #[tokio::test]
    async fn a_token_opens_only_for_its_call_and_caller_until_it_expires() {
        let seal = Seal::new([7; 32]);
        let state = RawJson::parse(r#"{"row":3}"#).unwrap();
        let ann = || Some(Principal::agent("ann"));
        let first = call(&RawObject::parse(CALL).unwrap(), ann());
        let token =
            close(&seal, &digest(&first).unwrap(), state.clone(), end(100, Duration::from_secs(10))).unwrap();
        let token = RawJson::string(&token.0);
        let opened = |text, principal, now| open(&seal, &call(&params(text, &token), principal), now);
        let again = r#"{"arguments":{"y":[2],"x":1},"name":"a","_meta":{"z":1}}"#;
        for text in [CALL, again] {
            assert_eq!(opened(text, ann(), 110).unwrap(), Some(state.clone()), "{text}");
        }
        for (text, principal, now, problem) in [
            (CALL, ann(), 111, "it has expired"),
            (CALL, Some(Principal::agent("bob")), 110, "another caller"),
            (CALL, Some(Principal::new("ann", ActorType::Operator, false)), 110, "another caller"),
            (CALL, Some(Principal::new("ann", ActorType::Agent, true)), 110, "another caller"),
            (CALL, None, 110, "another caller"),
            (r#"{"name":"b","arguments":{"x":1,"y":[2]}}"#, ann(), 110, "another tool"),
            (r#"{"name":"a","arguments":{"x":2,"y":[2]}}"#, ann(), 110, "other arguments"),
        ] {
            let error = opened(text, principal, now).unwrap_err();
            assert_eq!(error.code, -32602);
            let begin = r#"invalid _meta["dev.cloto/checkpoint"]: "#;
            assert!(error.message.starts_with(begin) && error.message.contains(problem), "{error}");
        }
    }

    #[tokio::test]
    async fn no_other_text_opens() {
        let seal = Seal::new([7; 32]);
        let first = call(&RawObject::parse(CALL).unwrap(), None);
        let CheckpointToken(good) = close(&seal, &digest(&first).unwrap(), RawJson::null(), 200).unwrap();
        let CheckpointToken(other) =
            close(&Seal::new([8; 32]), &digest(&first).unwrap(), RawJson::null(), 200).unwrap();
        // Sealed with the right key, for another purpose.
        let round = seal.key().seal(b"", 200, br#"{"call":"x","state":null}"#);
        let changed = format!("{}A", &good[..good.len() - 1]);
        let changed = if changed == good { format!("{}B", &good[..good.len() - 1]) } else { changed };
        for (token, problem) in [
            (RawJson::string(&other), "unchanged"),
            (RawJson::string(&round), "unchanged"),
            (RawJson::string(&changed), "unchanged"),
            (RawJson::string(""), "unchanged"),
            (RawJson::string(&"A".repeat(MAX_TOKEN + 1)), "expected at most 98304 bytes, found 98305"),
            (RawJson::from(true), "expected a string, found a boolean"),
        ] {
            let error = open(&seal, &call(&params(CALL, &token), None), 100).unwrap_err();
            assert!(error.code == -32602 && error.message.contains(problem), "{error}");
        }
        let token = RawJson::string(&good);
        assert_eq!(open(&seal, &call(&params(CALL, &token), None), 100).unwrap(), Some(RawJson::null()));
        assert_eq!(open(&seal, &first, 100).unwrap(), None);
    }

    #[test]
    fn the_token_of_the_longest_state_is_not_too_long() {
        let first = call(&RawObject::parse(CALL).unwrap(), None);
        let state = RawJson::string(&"x".repeat(MAX_STATE - 2));
        assert!(close(&Seal::new([7; 32]), &digest(&first).unwrap(), state, 1).unwrap().0.len() <= MAX_TOKEN);
    }
}

//! The state that a client returns between two rounds: the answers of earlier rounds, sealed so that only this server can have
//! written them. A sealed state is valid for one principal and one request, and only for a limited time.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac_sha256::Hash;
use mgp_transport::seam::{Incoming, Session};
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    mcp::subject_key,
    rpc::ErrorObject,
    seal::{SealError, SealKey},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    io,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// The time within which a client must send the next round.
const LIFETIME: Duration = Duration::from_secs(15 * 60);
/// The longest state, in bytes.
const LONGEST: usize = 256 * 1024;

/// The seal of the state that a client returns between two rounds. Servers that share a key can continue each other's rounds.
#[derive(Debug, Clone)]
pub(crate) struct Seal(SealKey);

/// The contents of a sealed state.
#[derive(Serialize, Deserialize)]
struct SealedState {
    /// The digest of the request and the caller that the state belongs to. It is content, not the token's owner, so that the
    /// error can distinguish the state of another request from a changed state.
    request: String,
    /// A random number, so that no two rounds look the same.
    round: u64,
    answers: RawObject,
}

impl Seal {
    pub(crate) const fn new(key: [u8; 32]) -> Self {
        Self(SealKey::new(key))
    }

    /// Returns a seal with a random key.
    pub(crate) fn random() -> io::Result<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self::new(key))
    }

    /// Returns the key, which also seals tokens of other kinds, each for its own owner.
    pub(crate) const fn key(&self) -> &SealKey {
        &self.0
    }

    /// Seals the answers of a request.
    pub(crate) fn close(&self, incoming: &Incoming, answers: &RawObject) -> Result<String, ErrorObject> {
        let internal = |problem: String| ErrorObject::internal(format!("internal error: {problem}"));
        let sealed = SealedState {
            request: digest(incoming)?,
            round: uuid::Uuid::now_v7().as_u64_pair().1,
            answers: answers.clone(),
        };
        let sealed = RawJson::from_value(&sealed).map_err(|error| internal(error.to_string()))?;
        let state = self.0.seal(b"", now().saturating_add(LIFETIME.as_secs()), sealed.as_bytes());
        if state.len() > LONGEST {
            return Err(internal(format!("the answers of earlier rounds are longer than {LONGEST} bytes")));
        }
        Ok(state)
    }

    /// Returns the answers that were sealed for a request.
    pub(crate) fn open(&self, incoming: &Incoming, state: &str) -> Result<RawObject, ErrorObject> {
        self.open_at(incoming, state, now())
    }

    fn open_at(&self, incoming: &Incoming, state: &str, now: u64) -> Result<RawObject, ErrorObject> {
        let invalid = |problem: &str| ErrorObject::invalid_params(format!("invalid requestState: {problem}"));
        let foreign = || invalid("expected the requestState of this server's last answer, unchanged");
        if state.len() > LONGEST {
            return Err(invalid(&format!("expected at most {LONGEST} bytes, found {}", state.len())));
        }
        let sealed = self.0.open(b"", state, now).map_err(|error| match error {
            SealError::Foreign => foreign(),
            SealError::Expired => invalid("it has expired: send the request again without it"),
        })?;
        let sealed: SealedState = serde_json::from_slice(&sealed).map_err(|_| foreign())?;
        if sealed.request != digest(incoming)? {
            return Err(invalid("it belongs to another request, or to another caller's"));
        }
        Ok(sealed.answers)
    }
}

/// Returns the time in seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the digest of the caller.
pub(crate) fn caller_digest(incoming: &Incoming) -> String {
    let principal = incoming.session().and_then(Session::get::<Principal>);
    let principal = principal.as_ref();
    let kind = principal.map(|principal| (principal.actor(), principal.is_admin()));
    // Names of variants: writing cannot fail.
    let kind = RawJson::from_value(&kind).unwrap_or_else(|_| RawJson::null());
    let mut hash = Hash::new();
    hash.update((kind.as_bytes().len() as u64).to_be_bytes());
    hash.update(kind.as_bytes());
    hash.update(principal.map_or("", Principal::id).as_bytes());
    URL_SAFE_NO_PAD.encode(hash.finalize())
}

/// Returns the digest of the caller and the request: its method, its subject and its arguments.
pub(crate) fn digest(incoming: &Incoming) -> Result<String, ErrorObject> {
    let params = incoming.params.object()?;
    let principal = incoming.session().and_then(Session::get::<Principal>);
    let mut hash = Hash::new();
    let mut add = |part: &[u8]| {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    };
    // Callers of several kinds may have the same id.
    let principal = principal.as_ref();
    add(principal.map_or("", Principal::id).as_bytes());
    let kind = principal.map(|principal| (principal.actor(), principal.is_admin()));
    add(RawJson::from_value(&kind)?.as_bytes());
    add(incoming.method.as_bytes());
    add(subject_key(&incoming.method).and_then(|key| params.text(key)).unwrap_or_default().as_bytes());
    let mut arguments = Vec::new();
    if let Some(json) = params.get("arguments") {
        // A client may send the keys in another order when it repeats the request.
        let value = json.decode::<Value>()?;
        canonical(&value, &mut arguments);
    }
    add(&arguments);
    Ok(URL_SAFE_NO_PAD.encode(hash.finalize()))
}

fn canonical(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            out.push(b'{');
            for (key, value) in members {
                out.extend_from_slice(Value::from(key.as_str()).to_string().as_bytes());
                out.push(b':');
                canonical(value, out);
                out.push(b',');
            }
            out.push(b'}');
        }
        Value::Array(items) => {
            out.push(b'[');
            for item in items {
                canonical(item, out);
                out.push(b',');
            }
            out.push(b']');
        }
        scalar => out.extend_from_slice(scalar.to_string().as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(params: &str) -> Incoming {
        Incoming::request(1, "tools/call", RawJson::parse(params.to_owned()).unwrap())
    }

    fn answers() -> RawObject {
        RawObject::parse(r#"{"name":{"action":"accept"}}"#).unwrap()
    }

    #[test]
    fn a_seal_opens_only_for_the_same_request() {
        let seal = Seal::random().unwrap();
        let first = call(r#"{"name":"a","arguments":{"x":1,"y":[2]}}"#);
        let state = seal.close(&first, &answers()).unwrap();
        let again =
            call(r#"{"arguments":{"y":[2],"x":1},"name":"a","inputResponses":{},"requestState":"s"}"#);
        assert_eq!(seal.open(&again, &state).unwrap(), answers());
        for other in [
            r#"{"name":"b","arguments":{"x":1,"y":[2]}}"#,
            r#"{"name":"a","arguments":{"x":2,"y":[2]}}"#,
            r#"{"name":"a"}"#,
        ] {
            let error = seal.open(&call(other), &state).unwrap_err();
            assert!(error.code == -32602 && error.message.contains("another request"), "{other}: {error}");
        }
        assert_ne!(seal.close(&first, &answers()).unwrap(), state, "no two rounds look the same");
    }

    #[test]
    fn a_changed_expired_or_foreign_seal_is_refused() {
        let seal = Seal::random().unwrap();
        let call = call(r#"{"name":"a"}"#);
        let state = seal.close(&call, &answers()).unwrap();
        let refused = |seal: &Seal, state: &str| seal.open(&call, state).unwrap_err().message;
        for at in 0..state.len() {
            let mut changed = state.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).unwrap();
            assert!(seal.open(&call, &changed).is_err(), "changed at {at}");
        }
        assert!(refused(&Seal::random().unwrap(), &state).contains("unchanged"));
        assert!(refused(&seal, "").contains("unchanged"));
        assert!(refused(&seal, &"a".repeat(LONGEST + 1)).contains("at most"));
        let later = seal.open_at(&call, &state, now() + LIFETIME.as_secs() + 1).unwrap_err();
        assert!(later.message.contains("expired"), "{later}");
    }

    #[test]
    fn a_seal_is_valid_to_the_end_of_its_last_second() {
        let (seal, call) = (Seal::random().unwrap(), call(r#"{"name":"a"}"#));
        let (second, state) = loop {
            let (before, state) = (now(), seal.close(&call, &answers()).unwrap());
            if before == now() {
                break (before, state);
            }
        };
        assert!(second > 1_700_000_000, "seconds since 1970: {second}");
        let last = second + LIFETIME.as_secs();
        assert_eq!(seal.open_at(&call, &state, last).unwrap(), answers());
        assert!(seal.open_at(&call, &state, last + 1).is_err());
    }

    #[test]
    fn every_seal_opens_and_an_overlong_text_is_not_sealed() {
        let (seal, call) = (Seal::random().unwrap(), call(r#"{"name":"a"}"#));
        // The length of answers that fill the longest state, before the bytes around the answers are taken off.
        let most = LONGEST / 4 * 3;
        let (mut longest, mut refused) = (0, 0);
        for length in (most - 147)..(most - 142) {
            let answers = RawObject::parse(format!(r#"{{"a":"{}"}}"#, "x".repeat(length))).unwrap();
            // The number of a round varies in length.
            for _ in 0..8 {
                match seal.close(&call, &answers) {
                    Ok(state) => {
                        longest = longest.max(state.len());
                        assert!(seal.open(&call, &state).is_ok(), "{} bytes", state.len());
                    }
                    Err(error) => {
                        refused += 1;
                        assert!(error.message.contains("longer than"), "{error}");
                    }
                }
            }
        }
        assert_eq!(longest, LONGEST);
        assert!(refused > 0);
    }

    #[test]
    fn the_order_of_keys_does_not_matter_at_any_depth() {
        let seal = Seal::random().unwrap();
        let state =
            seal.close(&call(r#"{"name":"a","arguments":{"l":[{"x":1,"y":{"p":1,"q":2}}]}}"#), &answers());
        let again = call(r#"{"name":"a","arguments":{"l":[{"y":{"q":2,"p":1},"x":1}]}}"#);
        assert_eq!(seal.open(&again, &state.unwrap()).unwrap(), answers());
    }
}

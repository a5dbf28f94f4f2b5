//! The record of a session in the store, from which another replica continues the session.

use super::replicas::{LocalSessions, Replicas, key_of, unavailable};
use crate::{http::server::refusal::Refusal, seam::SessionRecord};
use http::StatusCode;
use mgp_types::{
    context::Principal,
    mcp::{SetLevel, SetLevelParams, SubscribeResource, UnsubscribeResource},
    reference::REFERENCE_URI,
    rpc::{Call, Frame, RawParams},
};
use parking_lot::Mutex;

/// The longest params of `initialize` that are kept, in bytes.
const MAX_INITIALIZE: usize = 64 * 1024;

/// The most subscriptions of a session that are kept, and the longest URI, in bytes.
const MAX_SUBSCRIPTIONS: usize = 256;
const MAX_URI: usize = 2048;

/// A session that has a record in the store.
#[derive(Debug)]
pub(in crate::http::server) struct ReplicatedSession {
    /// The name of the session in the store.
    pub(in crate::http::server) key: String,
    /// The number of times that the session has changed its owner.
    pub(in crate::http::server) epoch: i64,
    pub(in crate::http::server) record: Mutex<SessionRecord>,
}

impl ReplicatedSession {
    pub(in crate::http::server) fn new(key: String, epoch: i64, record: SessionRecord) -> Self {
        Self { key, epoch, record: Mutex::new(record) }
    }
}

/// Returns a text for a caller that differs from that of every other caller.
pub(in crate::http::server) fn principal_text(principal: &Principal) -> String {
    let scopes = principal.key_scopes().map(|key| (key.key(), key.iter().collect::<Vec<_>>()));
    serde_json::json!([principal.id(), principal.actor(), principal.is_admin(), scopes]).to_string()
}

impl Replicas {
    /// Adds the record of a new session of a caller. `initialize` is the request that opens it; `None` if the session ends with its stream.
    pub(in crate::http::server) async fn open(
        &self,
        sessions: &(dyn LocalSessions + Sync),
        (secret, principal): (&str, &Principal),
        initialize: Option<&Frame>,
    ) -> Result<ReplicatedSession, Refusal> {
        self.check_current(sessions).await?;
        let record = SessionRecord {
            principal: principal_text(principal),
            initialize: initialize.map(params_of).transpose()?,
            level: None,
            subscriptions: Vec::new(),
            revision: 0,
        };
        let key = key_of(secret);
        let has_room = self.ask(self.store.open(&key, &record)).await;
        if !has_room.map_err(|error| unavailable(&*error))? {
            return Err(Refusal::no_room(
                StatusCode::SERVICE_UNAVAILABLE,
                "the store has no room for the sessions of more clients",
            ));
        }
        Ok(ReplicatedSession::new(key, 0, record))
    }

    /// Stores a change of the level or of the subscriptions before the session gets the message, so that the change is not lost with this
    /// replica once the client has its answer.
    pub(in crate::http::server) async fn note(
        &self,
        replicated: &ReplicatedSession,
        frame: &Frame,
    ) -> Result<(), Refusal> {
        let Frame::Request { method, params, .. } = frame else { return Ok(()) };
        let changed = {
            let mut record = replicated.record.lock();
            change(&mut record, method, params).then(|| {
                record.revision += 1;
                record.clone()
            })
        };
        let Some(record) = changed else { return Ok(()) };
        let stored = self.ask(self.store.change(&replicated.key, replicated.epoch, &record)).await;
        stored.map_err(|error| unavailable(&*error))
    }
}

fn params_of(initialize: &Frame) -> Result<String, Refusal> {
    let text = match initialize {
        Frame::Request { params, .. } => params.get().map_or("{}", |params| params.as_str()),
        Frame::Notification { .. } | Frame::Response { .. } => "{}",
    };
    if text.len() > MAX_INITIALIZE {
        let length = text.len();
        let message =
            format!("params of initialize are too long: {length} bytes, expected at most {MAX_INITIALIZE}");
        return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message));
    }
    Ok(text.to_owned())
}

/// Changes a record as a request changes its session. Returns whether the record has changed.
fn change(record: &mut SessionRecord, method: &str, params: &RawParams) -> bool {
    if *method == *SetLevel::METHOD {
        let Ok(SetLevelParams { level, .. }) = params.decode() else { return false };
        record.level = Some(level.as_str().to_owned());
        return true;
    }
    // A kept result does not change, and its reference, from which its key is derived, is not stored.
    let is_kept = |uri: &String| uri.len() <= MAX_URI && !uri.starts_with(REFERENCE_URI);
    let uri = || params.object().ok()?.text("uri").filter(is_kept);
    if *method == *SubscribeResource::METHOD {
        let Some(uri) = uri() else { return false };
        if record.subscriptions.len() >= MAX_SUBSCRIPTIONS || record.subscriptions.contains(&uri) {
            return false;
        }
        record.subscriptions.push(uri);
        return true;
    }
    if *method == *UnsubscribeResource::METHOD {
        let Some(uri) = uri() else { return false };
        let before = record.subscriptions.len();
        record.subscriptions.retain(|known| *known != uri);
        return record.subscriptions.len() < before;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::{context::KeyScopes, json::RawObject};

    fn record() -> SessionRecord {
        SessionRecord {
            principal: String::new(),
            initialize: None,
            level: None,
            subscriptions: Vec::new(),
            revision: 0,
        }
    }

    fn params(text: &str) -> RawParams {
        RawObject::parse(text.to_owned()).unwrap().into()
    }

    #[test]
    fn the_level_and_the_subscriptions_are_kept() {
        let mut kept = record();
        for (method, text, changes) in [
            ("logging/setLevel", r#"{"level":"error"}"#, true),
            ("logging/setLevel", r#"{"level":"loud"}"#, false),
            ("resources/subscribe", r#"{"uri":"a:1"}"#, true),
            ("resources/subscribe", r#"{"uri":"a:1"}"#, false),
            ("resources/subscribe", r#"{"uri":"a:2"}"#, true),
            ("resources/subscribe", r#"{"uri":"mgp://references/ref-1"}"#, false),
            ("resources/unsubscribe", r#"{"uri":"a:1"}"#, true),
            ("resources/unsubscribe", r#"{"uri":"a:1"}"#, false),
            ("tools/call", r#"{"uri":"a:3"}"#, false),
        ] {
            assert_eq!(change(&mut kept, method, &params(text)), changes, "{method} {text}");
        }
        assert_eq!((kept.level.as_deref(), kept.subscriptions), (Some("error"), vec!["a:2".to_owned()]));
    }

    #[test]
    fn the_subscriptions_of_a_session_are_bounded() {
        let mut kept = record();
        for number in 0..MAX_SUBSCRIPTIONS {
            assert!(change(&mut kept, "resources/subscribe", &params(&format!(r#"{{"uri":"a:{number}"}}"#))));
        }
        assert!(!change(&mut kept, "resources/subscribe", &params(r#"{"uri":"b:1"}"#)));
        let long = format!(r#"{{"uri":"{}"}}"#, "a".repeat(MAX_URI + 1));
        assert!(!change(&mut record(), "resources/subscribe", &params(&long)));
    }

    #[test]
    fn different_callers_have_different_texts() {
        let agent = Principal::agent("ann");
        let texts = [
            agent.clone(),
            Principal::agent("ben"),
            Principal::operator("ann"),
            agent.with_admin(),
            agent.narrowed_to(KeyScopes::new("k", "read:notes")),
            agent.narrowed_to(KeyScopes::new("k", "read:other")),
        ]
        .map(|principal| principal_text(&principal));
        for (at, text) in texts.iter().enumerate() {
            assert!(!texts[..at].contains(text), "{text}");
        }
    }
}

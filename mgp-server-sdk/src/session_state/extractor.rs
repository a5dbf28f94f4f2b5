//! The extractor for the state of a session.

use super::SessionStateSlot;
use crate::{
    Call, ToolError,
    from_call::FromCall,
    needs::{Needs, SingleExtractor},
    seal::{Seal, caller_digest, now},
};
use mgp_transport::seam::Incoming;
use mgp_types::{
    json::{Nullable, RawJson, RawObject},
    rpc::ErrorObject,
    seal::SealError,
    session_state::{MAX_SESSION_STATE, SESSION_STATE_KEY, SessionStateToken},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::time::Duration;

/// The owner of all tokens of sessions, so that no other sealed token is accepted as one.
const OWNER: &[u8] = b"session state";

/// The state of the session that a call belongs to.
///
/// The server stores nothing: the state is a sealed token in `_meta.session_state` of the result. The caller sends it with its
/// next call of any tool of the server. A gateway does this for hosts that do not.
///
/// The token is valid for the caller as identified by the server, and for a [limited time](crate::Server::session_state_lifetime)
/// after it was set. Unless the server has a [key](crate::Server::state_key), the token ends with the server. Its content is not
/// secret: the caller can read it. It is not guaranteed to be the latest: a caller can send an earlier one again. A call that
/// runs as a task sets no state.
///
/// ```
/// use mgp_server_sdk::{Tool, ToolError, session_state::SessionState};
///
/// fn next(session: SessionState) -> Result<String, ToolError> {
///     let page = session.get::<u32>()?.unwrap_or(0) + 1;
///     session.set(&page)?;
///     Ok(format!("page {page}"))
/// }
///
/// let tool = Tool::new("next", "Turns the page", next);
/// # let _ = tool;
/// ```
#[derive(Debug)]
pub struct SessionState {
    seal: Seal,
    lifetime: Duration,
    caller: String,
    state: Option<RawJson>,
    slot: SessionStateSlot,
}

/// The contents of a token.
#[derive(Serialize, Deserialize)]
struct SealedState {
    /// The digest of the caller. It is content, not the token's owner, so that the error can distinguish another caller's token
    /// from a changed one.
    caller: String,
    state: RawJson,
}

impl SessionState {
    /// Returns the state in the call; `None` if the session starts.
    ///
    /// # Errors
    /// Returns -32602 if the state is not of this type, for example because an earlier version of the server wrote it.
    pub fn get<T: DeserializeOwned>(&self) -> Result<Option<T>, ToolError> {
        let read = self.state.as_ref().map(RawJson::decode).transpose();
        read.map_err(|error| {
            ToolError::protocol(invalid("stale", &format!("it cannot be used any more: {error}")))
        })
    }

    /// Sets the state for the next call, whether the tool succeeds or fails.
    ///
    /// # Errors
    /// Returns a [`ToolError`] if the state cannot be JSON, or if its token is longer than 64 KiB.
    pub fn set(&self, state: &(impl Serialize + ?Sized)) -> Result<(), ToolError> {
        let state = RawJson::from_value(state)?;
        let sealed = RawJson::from_value(&SealedState { caller: self.caller.clone(), state })?;
        let until = now().saturating_add(self.lifetime.as_secs());
        let token = self.seal.key().seal(OWNER, until, sealed.as_bytes());
        if token.len() > MAX_SESSION_STATE {
            return Err(ToolError::new(format!(
                "the state of the session is a token of {} bytes, expected at most {MAX_SESSION_STATE}: keep the state elsewhere, and set \
                 where it is",
                token.len()
            )));
        }
        self.slot.set(Nullable::Value(SessionStateToken(token)));
        Ok(())
    }

    /// Ends the session: its next call has no state.
    pub fn clear(&self) {
        self.slot.set(Nullable::Null);
    }
}

impl FromCall for SessionState {
    type Rejection = ToolError;

    fn needs(needs: &mut Needs) {
        needs.single(SingleExtractor::SessionState);
    }

    async fn from_call(call: &Call) -> Result<Self, ToolError> {
        let (incoming, app) = (call.incoming(), call.app());
        let caller = caller_digest(incoming);
        let state = open(&app.seal, incoming, &caller, now()).map_err(ToolError::protocol)?;
        let slot: Option<&SessionStateSlot> = incoming.ext.get();
        Ok(Self {
            seal: app.seal.clone(),
            lifetime: app.session_state_lifetime,
            caller,
            state,
            slot: slot.cloned().unwrap_or_default(),
        })
    }
}

/// Returns the state in a call; `None` if the call has none.
fn open(seal: &Seal, incoming: &Incoming, caller: &str, now: u64) -> Result<Option<RawJson>, ErrorObject> {
    let Some(meta) = incoming.params.object()?.object("_meta") else { return Ok(None) };
    let Some(token) = meta.get(SESSION_STATE_KEY).filter(|token| !token.is_null()) else { return Ok(None) };
    let Some(text) = token.to_text() else {
        let kind = token.kind_without_text();
        return Err(invalid("unreadable", &format!("expected a string, found {kind}")));
    };
    if text.len() > MAX_SESSION_STATE {
        let found = text.len();
        return Err(invalid(
            "too_long",
            &format!("expected at most {MAX_SESSION_STATE} bytes, found {found}"),
        ));
    }
    let foreign = || invalid("foreign", "expected the token of this server's last result, unchanged");
    let sealed = seal.key().open(OWNER, &text, now).map_err(|error| match error {
        SealError::Foreign => foreign(),
        SealError::Expired => invalid("expired", "it has expired"),
    })?;
    let sealed: SealedState = serde_json::from_slice(&sealed).map_err(|_| foreign())?;
    if sealed.caller != caller {
        return Err(invalid("foreign", "it belongs to a session of another caller"));
    }
    Ok(Some(sealed.state))
}

/// Returns the error that refuses a token, with advice on the next step.
fn invalid(reason: &str, problem: &str) -> ErrorObject {
    let data: RawObject = [(SESSION_STATE_KEY, RawJson::string(reason))].into_iter().collect();
    let problem = format!(
        "invalid _meta.{SESSION_STATE_KEY}: {problem}; call the tool without it to begin a new session"
    );
    ErrorObject::invalid_params(problem).with_data(data.to_json())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(token: &RawJson) -> Incoming {
        let mut params = RawObject::parse(r#"{"name":"a"}"#).unwrap();
        params.edit("_meta", |meta| meta.insert(SESSION_STATE_KEY, token.clone()).is_none());
        Incoming::request(1, "tools/call", params)
    }

    fn sealed(seal: &Seal, owner: &[u8], caller: &str) -> RawJson {
        let content = SealedState { caller: caller.to_owned(), state: RawJson::from(true) };
        RawJson::string(&seal.key().seal(owner, 200, RawJson::from_value(&content).unwrap().as_bytes()))
    }

    #[test]
    fn a_token_opens_only_unchanged_for_its_caller_until_it_expires() {
        let seal = Seal::new([7; 32]);
        let good = sealed(&seal, OWNER, "ann");
        let opened = |token: &RawJson, now| open(&seal, &call(token), "ann", now);
        assert_eq!(opened(&good, 200).unwrap(), Some(RawJson::from(true)));
        assert_eq!(opened(&RawJson::null(), 200).unwrap(), None);
        for (token, now, reason, problem) in [
            (good, 201, "expired", "it has expired"),
            (sealed(&seal, OWNER, "bob"), 200, "foreign", "another caller"),
            (sealed(&seal, b"checkpoint", "ann"), 200, "foreign", "unchanged"),
            (sealed(&Seal::new([8; 32]), OWNER, "ann"), 200, "foreign", "unchanged"),
            (RawJson::string("x"), 200, "foreign", "unchanged"),
            (
                RawJson::string(&"x".repeat(MAX_SESSION_STATE + 1)),
                200,
                "too_long",
                "at most 65536 bytes, found 65537",
            ),
            (RawJson::from(true), 200, "unreadable", "expected a string, found a boolean"),
        ] {
            let error = opened(&token, now).unwrap_err();
            assert!(error.code == -32602 && error.message.contains(problem), "{error}");
            assert!(error.message.ends_with("call the tool without it to begin a new session"), "{error}");
            assert_eq!(error.data.unwrap().as_str(), format!(r#"{{"session_state":"{reason}"}}"#));
        }
    }
}

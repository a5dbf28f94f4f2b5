//! The token that a call sends to its server, and the one in its result.

use super::{SessionStates, refusal::TokenRefusal, store::StateKey};
use crate::{
    Server,
    catalog::{tool_index, tools::Tools},
};
use mgp_transport::seam::{CallRecord, Incoming, Reply, Session, ToolCall};
use mgp_types::{
    context::Principal,
    json::{Nullable, RawJson, RawObject},
    mcp::CallToolResult,
    rpc::ErrorObject,
    session_state::{MAX_SESSION_STATE, SESSION_STATE_KEY, SessionStateToken},
};
use std::sync::Arc;

/// A call whose server may assign a token. Its parts are cheap clones: most calls neither send nor receive a token.
#[derive(Debug)]
pub(crate) struct SessionCall {
    states: SessionStates,
    tools: Arc<Tools>,
    server: Arc<Server>,
    call: Option<Arc<ToolCall>>,
    /// The session of the call; `None` if the host keeps its token itself.
    session: Option<Session>,
    /// The token that the kernel added to the call.
    brought: Option<SessionStateToken>,
}

impl SessionCall {
    /// Begins a call. A call without a session state of its own sends the token that is kept for the session.
    ///
    /// # Errors
    /// -32602 if the host sends an invalid token, or one that is too long.
    pub(crate) fn begin(
        (states, tools): (&SessionStates, &Arc<Tools>),
        message: &mut Incoming,
        server: Arc<Server>,
    ) -> Result<Self, ErrorObject> {
        let said = Self::check(message)?;
        let session = message.session().filter(|_| said.is_none()).cloned();
        let (states, tools, call) = (states.clone(), tools.clone(), ToolCall::shared(message));
        let mut this = Self { states, tools, server, call, session, brought: None };
        this.bring(message)?;
        Ok(this)
    }

    /// Returns the session state in a call; `None` if there is none.
    ///
    /// # Errors
    /// -32602 if the host sends an invalid token, or one that is too long.
    pub(crate) fn check(message: &Incoming) -> Result<Option<RawJson>, ErrorObject> {
        let said = said(message)?;
        said.as_ref().map_or(Ok(()), check)?;
        Ok(said)
    }

    /// Adds the currently kept token, if there is one, to a message of the call that has none. Used before a call is resent, because another
    /// call may have received a newer token meanwhile.
    ///
    /// # Errors
    /// -32602 if the params cannot be read.
    pub(crate) fn bring(&mut self, message: &mut Incoming) -> Result<(), ErrorObject> {
        self.brought = self.kept();
        let Some(token) = &self.brought else { return Ok(()) };
        let mut params = std::mem::take(&mut message.params).into_object()?;
        token.put(&mut params);
        message.params = params.into();
        Ok(())
    }

    /// Returns the kept token of the call's session.
    fn kept(&self) -> Option<SessionStateToken> {
        if self.states.is_empty() {
            return None;
        }
        self.key().and_then(|key| self.states.get(&key))
    }

    fn caller(&self) -> Option<&Principal> {
        self.call.as_ref().map(|call| &call.principal)
    }

    fn record(&self) -> Option<&CallRecord> {
        self.call.as_ref().map(|call| &call.record)
    }

    /// Returns the handle of another session, if the call names one.
    fn handle(&self) -> Option<&str> {
        self.call.as_ref()?.options().session.as_deref()
    }

    /// Returns the server of the called tool.
    pub(crate) fn server(&self) -> &Arc<Server> {
        &self.server
    }

    /// Returns whether the server rejected the kernel's token before it ran the tool. Then the token is forgotten, and the call may be
    /// made without it, because its host does not know about tokens.
    pub(crate) fn was_refused_for_its_token(&mut self, reply: &Reply) -> bool {
        let Some(token) = self.brought.take() else { return false };
        if TokenRefusal::of(reply, self.record()) != Some(TokenRefusal::Unrun) {
            self.brought = Some(token);
            return false;
        }
        self.forget(&token);
        true
    }

    /// Returns the key of the token; `None` if the host keeps it itself, or if the call belongs to no session.
    fn key(&self) -> Option<StateKey> {
        let session = tool_index::session_tag(&self.tools, self.session.as_ref()?, self.handle())?;
        let agents: Vec<&str> = self.caller().into_iter().flat_map(Principal::delegation).collect();
        // The list holds only texts, so serializing cannot fail.
        let delegation = RawJson::from_value(&agents).map(|ids| ids.as_str().into()).unwrap_or_default();
        Some(StateKey { session, delegation, server: self.server.succession.generation() })
    }

    /// Ends a call, and keeps the token of its result. A token that is too long is not forwarded, either.
    pub(crate) fn end(&self, reply: Reply) -> Reply {
        if let Some(token) = &self.brought {
            self.end_use(token, &reply);
        }
        let Some(result) = reply.result().filter(|result| result.may_hold(SESSION_STATE_KEY)) else {
            return reply;
        };
        let Ok(mut result) = RawObject::from_json(result) else { return reply };
        let Some(meta) = result.object("_meta") else { return reply };
        match SessionStateToken::in_meta(&meta) {
            Nullable::Value(token) if token.0.len() > MAX_SESSION_STATE => {
                let (server, bytes) = (self.server.id(), token.0.len());
                tracing::warn!(
                    server,
                    bytes,
                    "the session state that it assigned is too long, and is dropped"
                );
                SessionStateToken::remove(&mut result);
                let result = result.to_json();
                return if reply.is_cancelled() { Reply::cancelled(result) } else { Reply::ok(result) };
            }
            Nullable::Value(token) => self.keep(token),
            Nullable::Null if self.states.is_empty() => {}
            Nullable::Null => self.key().into_iter().for_each(|key| self.states.forget(&key, None)),
            Nullable::Absent => {}
        }
        reply
    }

    fn keep(&self, token: SessionStateToken) {
        let (Some(key), Some(session)) = (self.key(), &self.session) else { return };
        // A session with a handle outlives its connection.
        if self.handle().is_none() {
            self.states.end_with(session, key.session);
        }
        let owner = self.caller().map_or("", Principal::id);
        self.states.keep(key, owner, token);
    }

    /// Forgets the kernel's token if the server rejected it: the host cannot know it, and would be rejected again. Otherwise the token was used,
    /// unless the call failed. A session whose calls all fail for an unrecognized token error thus eventually begins anew.
    fn end_use(&self, token: &SessionStateToken, reply: &Reply) {
        if TokenRefusal::of(reply, self.record()).is_some() {
            self.forget(token);
        } else if reply.result().is_some_and(|result| !CallToolResult::says_error(result))
            && let Some(key) = self.key()
        {
            self.states.note_used(&key, token);
        }
    }

    /// Forgets the kernel's token, unless another call received a new one meanwhile.
    fn forget(&self, token: &SessionStateToken) {
        if let Some(key) = self.key() {
            self.states.forget(&key, Some(token));
        }
    }
}

/// Returns `_meta.session_state` of a call.
fn said(message: &Incoming) -> Result<Option<RawJson>, ErrorObject> {
    let params = message.params.object()?;
    let meta = params.get("_meta").filter(|meta| meta.may_hold(SESSION_STATE_KEY));
    let meta = meta.and_then(|meta| RawObject::from_json(meta).ok());
    Ok(meta.and_then(|meta| meta.get(SESSION_STATE_KEY).cloned()))
}

fn check(said: &RawJson) -> Result<(), ErrorObject> {
    let problem = match said.to_text() {
        Some(token) if token.len() > MAX_SESSION_STATE => {
            format!("expected at most {MAX_SESSION_STATE} bytes, found {}", token.len())
        }
        Some(_) => return Ok(()),
        None if said.is_null() => return Ok(()),
        None => format!("expected a string or null, found {}", said.kind_without_text()),
    };
    let problem = format!(
        "invalid _meta.{SESSION_STATE_KEY}: {problem}; call the tool without it to begin a new session"
    );
    Err(ErrorObject::invalid_params(problem))
}

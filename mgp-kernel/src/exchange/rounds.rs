//! The rounds of one request of a host at its server, and the server's messages about it.

use super::{
    Exchange, callback_bridge, callbacks,
    early_end::{EarlyEnd, PARTIAL_RESULT},
    outcome::SendState,
    questions, url_required,
};
use crate::{
    features::tasks::Plan,
    ground::{caller::Caller, trace::ServerSpan},
    host::HostDialect,
    upstream::{HostQuestion, Link, Server},
};
use mgp_client_sdk::{
    call_clock::CallClock,
    session::{HostProfile, Rounds, RunningCall, RunningEvent, ask_all},
};
use mgp_security::results::CallSearch;
use mgp_server_sdk::logging;
use mgp_stream::relay::{Relay, RelayOutcome};
use mgp_transport::{
    long_text::LongCall,
    seam::{CallError, CallRecord, Incoming, Notification, ToolCall},
};
use mgp_types::{
    callback::CallbackRequest,
    context::{TraceId, TraceParent},
    json::{RawJson, RawObject},
    mcp::{InputRequest, LogMessage, Progress},
    request_meta,
    rpc::{ErrorObject, Notice, RawResult},
    session_state::SESSION_STATE_KEY,
    stream::{StreamChunk, StreamProgress},
};
use serde::Serialize;
use std::sync::Arc;
use tokio::time::{Instant, timeout_at};

/// The rounds of one request of a host.
pub(super) struct HostRounds<'a> {
    pub(super) exchange: &'a Exchange,
    pub(super) server: &'a Arc<Server>,
    pub(super) link: &'a Link,
    pub(super) message: &'a mut Incoming,
    pub(super) trace: Option<TraceId>,
    /// The long strings of the call, if it has any.
    pub(super) long: Option<&'a LongCall>,
    pub(super) relay: Option<Relay>,
    /// The search for secrets, if there is one.
    pub(super) search: Option<CallSearch>,
    pub(super) caller: Option<&'a Arc<Caller>>,
    pub(super) plan: &'a Plan,
    pub(super) dialect: HostDialect,
    pub(super) state: &'a SendState,
    pub(super) end: Option<&'a EarlyEnd>,
    pub(super) clock: &'a CallClock,
    pub(super) is_first: bool,
}

impl Rounds for HostRounds<'_> {
    async fn send(&mut self, params: RawObject) -> Result<Option<RawResult>, CallError> {
        let Self { exchange, server, state, caller, .. } = *self;
        // Somebody was asked since the last round, which takes an unlimited time.
        let is_first = std::mem::take(&mut self.is_first);
        if !is_first {
            state.note_begun();
            self.message.set_waited();
            if let Err(refusal) = server.rights.judge_again(server.id(), self.message) {
                let error = refusal.as_error().cloned();
                return Err(CallError::Peer(
                    error.unwrap_or_else(|| ErrorObject::internal("internal error")),
                ));
            }
        }
        let peer = &self.link.session.peer;
        let id = peer.next_id();
        let span = ServerSpan::begin(self.message, server.id(), id);
        let params = self.params(params, id, span.as_ref());
        let entered = caller.map(|caller| exchange.callers.enter(id, caller.clone()));
        let long = self.long.zip(peer.long_texts()).map(|(long, texts)| long.enter(texts, id));
        let call = match peer.start_exact(id, self.message.method.clone(), params).await {
            Ok(call) => self.link.session.running(call),
            Err(error) => {
                let unsent = Err(error);
                span.into_iter().for_each(|span| span.end(&unsent));
                return unsent.map(Some);
            }
        };
        state.note_sent();
        // A round of input is not an attempt.
        if let Some(record) = CallRecord::of(self.message).filter(|_| is_first) {
            record.update(|record| record.attempts += 1);
        }
        let to_host = (self.relay.as_mut(), self.dialect, self.search.as_ref());
        let way = (caller.map(Arc::as_ref), self.end, self.clock);
        let answer = relay((exchange, server), call, to_host, way, state).await;
        drop((entered, long));
        if let Some(span) = span {
            span.end(&answer);
        }
        match answer {
            Err(CallError::Peer(error)) if url_required::is_it(&error) => {
                state.note_begun();
                caller.into_iter().for_each(|caller| caller.note_seen());
                Box::pin(self.visit_urls(error)).await.map(|()| None)
            }
            Err(CallError::Peer(error)) => Err(CallError::Peer(self.dialect.error(self.plan.error(error)))),
            result => result.map(Some),
        }
    }

    async fn ask(&self, key: &str, question: InputRequest) -> Result<RawResult, CallError> {
        self.state.note_begun();
        let InputRequest { method, params } = question;
        let Some(caller) = self.caller else {
            return Err(CallError::Peer(ErrorObject::internal("there is no host to ask")));
        };
        let limit = self.server.spec.question_timeout;
        let question = HostQuestion { key: Some(key), limit, method: &method, params };
        let answer = questions::ask(&self.exchange.elicited, self.server, caller, question).await;
        answer.map_err(CallError::Peer)
    }
}

impl HostRounds<'_> {
    /// Asks the user of a stateless host to visit the URLs that a server requires. A host of the `initialize` era does so itself,
    /// and calls again.
    async fn visit_urls(&self, error: ErrorObject) -> Result<(), CallError> {
        let parked = self.caller.filter(|caller| caller.parked.is_some());
        let Some(required) = parked.and_then(|_| url_required::as_round(&error)) else {
            let (elicited, caller) = (&self.exchange.elicited, self.caller.map(Arc::as_ref));
            let error = url_required::for_host(elicited, self.server, caller, error).await;
            return Err(CallError::Peer(self.dialect.error(error)));
        };
        let answers = ask_all(self, required.requests).await?;
        let accepted = |answer: &RawJson| {
            RawObject::from_json(answer)
                .is_ok_and(|answer| answer.text("action").as_deref() == Some("accept"))
        };
        if answers.iter().all(|(_, answer)| accepted(answer)) {
            return Ok(());
        }
        let problem = "the user did not open a URL that the server requires";
        Err(CallError::Peer(ErrorObject::invalid_request(problem)))
    }

    /// Returns the params of one round, with the members that differ between rounds. They are the kernel's progress token, the span, and the
    /// mark for another kernel that a session has no state. A server that receives host profiles with requests also gets the host's profile.
    fn params(&self, mut params: RawObject, id: i64, span: Option<&ServerSpan>) -> RawJson {
        let trace = self.trace.as_ref();
        if let Some(trace) = trace.filter(|_| self.link.negotiated.is_some()) {
            request_meta::set_trace_id(&mut params, trace);
        }
        let Self { server, link, caller, plan, .. } = *self;
        let mut traceparent = None;
        params.edit("_meta", |meta| {
            traceparent = match span {
                // The server's own spans become children of this call.
                Some(span) => span.traceparent().map(str::to_owned),
                None => trace
                    .filter(|trace| !is_named(meta, trace))
                    .and_then(|t| t.traceparent(id.unsigned_abs(), true)),
            };
            // The caller's own, which the members of the round replace.
            let mut is_changed = meta.remove("progressToken").is_some();
            if traceparent.is_some() {
                is_changed |= meta.remove("traceparent").is_some();
            }
            // Without the member, another kernel behind this one would attribute all calls to one host, and mix up the states of hosts.
            if link.is_kernel()
                && ToolCall::of(self.message).is_some()
                && meta.get(SESSION_STATE_KEY).is_none()
            {
                meta.insert(SESSION_STATE_KEY, RawJson::null());
                is_changed = true;
            }
            is_changed
        });
        let members = RoundMembers { progress_token: id, traceparent: traceparent.as_deref() };
        // A number and a text always serialize.
        params.append("_meta", &RawJson::from_value(&members).unwrap_or_else(|_| RawJson::empty_object()));
        let profile = || HostProfile {
            capabilities: caller.map(|caller| callback_bridge::capabilities(caller)).unwrap_or_default(),
            takes_tasks: plan.declares(),
            log_level: caller.and_then(|caller| logging::level(caller.peer.session())),
        };
        link.session.write_profile(&mut params, profile, |all| questions::capabilities_for(server, all));
        params.to_json()
    }
}

/// The members of `_meta` that each round has of its own. They are appended as text, because every call has them.
#[derive(Serialize)]
struct RoundMembers<'a> {
    /// The id of the request. The server is asked for progress even if the host takes none, because progress shows that the server works on
    /// the call.
    #[serde(rename = "progressToken")]
    progress_token: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<&'a str>,
}

/// Returns whether the caller's `traceparent` names a trace. Without a span of the kernel, the server's spans become its children.
fn is_named(meta: &RawObject, trace: &TraceId) -> bool {
    let caller = meta.text("traceparent").and_then(|header| TraceParent::parse(&header));
    caller.is_some_and(|caller| caller.trace.is_same(trace))
}

/// Forwards the notifications before the reply, and returns the reply.
async fn relay(
    (exchange, server): (&Exchange, &Arc<Server>),
    mut call: RunningCall,
    (mut relay, dialect, search): (Option<&mut Relay>, HostDialect, Option<&CallSearch>),
    (caller, end, clock): (Option<&Caller>, Option<&EarlyEnd>, &CallClock),
    state: &SendState,
) -> Result<RawResult, CallError> {
    let mut hold = None;
    loop {
        let event = tokio::select! {
            biased;
            event = call.next() => event,
            (reason, held) = EarlyEnd::reached(end), if hold.is_none() => {
                hold = Some((held, Instant::now() + PARTIAL_RESULT));
                call.cancel(reason, PARTIAL_RESULT);
                continue;
            }
        };
        match event {
            RunningEvent::Answered(reply) => {
                if call.is_unrun() {
                    state.note_ran_nothing();
                }
                return reply;
            }
            RunningEvent::Cancelled(partial) => {
                return Ok(Box::pin(EarlyEnd::result(end, partial, dialect, search)).await);
            }
            // The call has no more questions.
            RunningEvent::Notification(notification)
                if hold.is_some() && notification.method != *StreamChunk::METHOD => {}
            RunningEvent::Notification(Notification { method, params })
                if method == *CallbackRequest::METHOD =>
            {
                Box::pin(callbacks::take(exchange, server, call.peer(), &params, None)).await;
            }
            RunningEvent::Notification(Notification { method, params }) => {
                let is_progress = [Progress::METHOD, StreamProgress::METHOD].contains(&&*method);
                if is_progress || method == *StreamChunk::METHOD {
                    clock.restart();
                }
                let Some(relay) = &mut relay else { continue };
                // The server is always asked for progress, even if its host is not interested.
                if is_progress && !relay.host().wants_progress() {
                    continue;
                }
                // The host gets no chunks, because the reply has their text.
                if method == *StreamChunk::METHOD && search.is_some_and(CallSearch::masks) {
                    continue;
                }
                let params = match search {
                    Some(search) => Box::pin(search.params(params)).await,
                    None => Some(params),
                };
                let Some(params) = params else { continue };
                let notification = Notification { method, params: dialect.params(params) };
                let forwarded = Box::pin(async {
                    match relay.forward(notification).await {
                        Ok(RelayOutcome::Other(notification)) => log(notification, caller).await,
                        Ok(RelayOutcome::Sent) => caller.into_iter().for_each(Caller::note_seen),
                        Ok(_) => {}
                        Err(error) => {
                            tracing::debug!(%error, "a notification could not be forwarded to the host");
                        }
                    }
                });
                match &hold {
                    None => forwarded.await,
                    // A host that does not read delays its own cancellation at most as long as the server may.
                    Some((_, until)) => drop(timeout_at(*until, forwarded).await),
                }
            }
        }
    }
}

/// Forwards a log message that belongs to a call.
async fn log(notification: Notification, caller: Option<&Caller>) {
    let Some(caller) = caller.filter(|_| notification.method == *LogMessage::METHOD) else { return };
    if logging::is_wanted(caller.peer.session(), &notification.params)
        && let Err(error) = caller.peer.notify(notification.method, notification.params).await
    {
        tracing::debug!(%error, "a log message could not be forwarded to the host");
    }
}

//! Sends hosts' requests to a server; nothing else does. This is the end of the pipeline for tool calls, and the path of
//! all other forwarded requests.

use super::{
    Caller, Link, Server, callback_bridge, callbacks,
    early_end::{EarlyEnd, PARTIAL_RESULT},
    outcome::{Idempotence, PassedLimit, SendState, is_answered, name_server, timed_out},
    proposals, questions, stream_summary, url_required,
};
use crate::{
    call_clock::{CallClock, CallLimits},
    kernel::{
        features::{
            references::{KeptCall, LongCall},
            tasks::{CallAnswer, Plan, created},
        },
        ground::trace::ServerSpan,
        host::{HostDialect, whole},
        rights::rights::mark_waited,
    },
    session::{
        Answer, AnswerKinds, HostProfile, RoundLimits, Rounds, RunningCall, RunningEvent, ask_all,
        remove_profile, run_rounds,
    },
};
use futures_core::future::BoxFuture;
use mgp_lifecycle::retry::CallDeadline;
use mgp_security::results::CallSearch;
use mgp_server_sdk::logging;
use mgp_stream::relay::{Host, Relay, RelayOutcome, ask_for_progress};
use mgp_transport::seam::{BoxError, CallError, CallRecord, Incoming, Notification, Reply, ToolCall};
use mgp_types::{
    callback::CallbackRequest,
    context::{TraceId, TraceParent},
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{CallTool, InputRequest, LogMessage, Progress, tasks::core::GetTaskPayload},
    mgp_member,
    proposals::GivenConfirmation,
    request_meta,
    rpc::{Call, ErrorObject, Notice, RawResult},
    session_state::SESSION_STATE_KEY,
    stream::{StreamChunk, StreamProgress},
    tool_result::of_bare_data,
};
use std::{
    pin::pin,
    sync::{Arc, Weak},
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{Instant, timeout_at};
use tower_service::Service;

/// The maximum amount of input that one request may ask for.
const LIMITS: RoundLimits = RoundLimits { rounds: 16, questions: questions::MOST_AT_ONCE };

/// A host's request to a server, with the server's messages about it. Nothing else in the kernel can send `tools/call`.
#[derive(Debug, Clone)]
pub(crate) struct ServerCall {
    server: Weak<Server>,
}

impl ServerCall {
    pub(super) fn new(server: Weak<Server>) -> Self {
        Self { server }
    }
}

impl Service<Incoming> for ServerCall {
    type Response = Reply;
    type Error = BoxError;
    // The only box of the pipeline, one per call, at its end.
    type Future = BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        let server = self.server.upgrade();
        Box::pin(async move {
            // A tool runs only after every gate has judged the call.
            if message.method == *CallTool::METHOD && ToolCall::of(&message).is_none() {
                return Ok(ErrorObject::internal("internal error: the call was not resolved").into());
            }
            let Some((server, link)) = server.and_then(|server| Some((server.clone(), server.link()?)))
            else {
                // The gate before this saw the server connected; the connection has ended since.
                return Ok(ErrorCode::ServerNotReady.error("the server is not connected").into());
            };
            if let Err(refusal) = server.rights.judge_again(server.id(), &message) {
                return Ok(refusal);
            }
            let caller = Caller::of(&message).map(Arc::new);
            let (idempotence, state) = (Idempotence::of(&message), SendState::default());
            let record = CallRecord::of(&message).cloned();
            let tool = ToolCall::of(&message).map(|call| call.target.called_as.clone());
            let clock = caller.as_ref().map(|caller| caller.clock.clone()).unwrap_or_default();
            // A request that waits for a task lasts as long as the task.
            let waits = message.method == *GetTaskPayload::METHOD;
            let left = message
                .ext
                .get::<CallDeadline>()
                .map_or(server.spec.call_timeout, |deadline| deadline.left());
            let again = server.spec.call_timeout;
            let first = if waits { Duration::MAX } else { left };
            let limits = CallLimits { first, again, most: server.spec.call_max };
            let end = EarlyEnd::of(&link, &message);
            // The message is kept until the end, because its body counts toward the limit on all bodies in memory. The future is
            // pinned, so that the clock does not hold it twice.
            let began = clock.mark();
            let way = (&state, end.as_ref(), &clock);
            let mut run = pin!(run(&server, &link, &mut message, caller.as_ref(), way));
            let (mut reply, mut partial) = (clock.within_limits(limits, run.as_mut()).await, None);
            if let Idempotence::Tool(name) = &idempotence
                && state.is_measure(reply.as_ref())
            {
                server.latencies.count(name, clock.since(&began));
            }
            if reply.is_none() && state.is_sent() {
                link.note_unanswered();
            }
            if let (None, Some(end)) = (&reply, &end) {
                match Box::pin(end.late(run)).await {
                    Some(Ok(late)) if late.is_cancelled() => partial = late.result().cloned(),
                    late => reply = late,
                }
            }
            if let Some(record) = &record {
                let answered = is_answered(&server, &state, reply.as_ref());
                let has_run_nothing = state.has_run_nothing();
                record.update(|record| {
                    record.answered = answered;
                    record.ran_nothing += u32::from(has_run_nothing);
                    record.unreached += u32::from(has_run_nothing && answered == Some(false));
                });
            }
            let reply = reply.unwrap_or_else(|| {
                let passed = PassedLimit::of(&server, &clock, &began);
                Ok(Reply::error(timed_out(tool.as_deref(), &passed, &state, partial)))
            });
            let reply = name_server(&server, &link, reply).await;
            idempotence.advise(&server, &link, &state, reply)
        })
    }
}

/// Sends a request in as many rounds as the server asks for input, and adapts its answer to the host.
async fn run(
    server: &Arc<Server>,
    link: &Link,
    message: &mut Incoming,
    caller: Option<&Arc<Caller>>,
    (state, end, clock): (&SendState, Option<&EarlyEnd>, &CallClock),
) -> Result<Reply, BoxError> {
    let search = CallSearch::of(message).cloned();
    let host = Host::of(message);
    // A secret may be split over two chunks, and the host of a kept result wants no chunks. The reply has the whole text.
    let is_whole = search.as_ref().is_some_and(CallSearch::masks) || message.ext.get::<KeptCall>().is_some();
    let host = if is_whole { host.map(Host::without_chunks) } else { host };
    let dialect = HostDialect::of(message.session());
    let method = message.method.clone();
    let params = std::mem::take(&mut message.params).into_object().map_err(CallError::Peer)?;
    let mut params = params_for_server(link, params, message);
    let is_confirmed = GivenConfirmation::is_in(&params);
    let plan = match Plan::of(server, link, message, &mut params) {
        Ok(plan) => plan,
        Err(error) => return Ok(Reply::error(error)),
    };
    if let Some(level) = message.session().and_then(logging::asked_for) {
        Box::pin(server.log_from(link, level)).await;
    }
    let settings = (if plan.takes_task() { AnswerKinds::ResultOrTask } else { AnswerKinds::Result }, LIMITS);
    let mut rounds = HostRounds {
        server,
        link,
        message,
        relay: host.map(Relay::new),
        search,
        caller,
        plan: &plan,
        dialect,
        state,
        end,
        clock,
        is_first: true,
    };
    let answer = run_rounds(&link.session, &method, params, settings, &mut rounds).await;
    let (result, object) = match answer {
        Ok(answer) if end.is_some_and(EarlyEnd::is_cancelled) => return Ok(Reply::cancelled(answer.result)),
        Ok(answer) => {
            let made = bare(message, &answer);
            proposals::note_text(message, &answer.result, made.as_ref());
            match made {
                Some(result) => {
                    proposals::note_answer(link, message, (&answer.result, is_confirmed), state);
                    (result, None)
                }
                None => match stream_summary::for_host(message, &answer.result) {
                    Some(object) => (object.to_json(), answer.object.and(Some(object))),
                    None => (answer.result, answer.object),
                },
            }
        }
        Err(CallError::Peer(error)) => return Ok(Reply::error(error)),
        Err(error) => return Err(error.into()),
    };
    let answer = match created(server, link, caller.map(Arc::as_ref), &plan, result) {
        Ok(CallAnswer::Answer(answer)) => {
            let adapted = if object.is_some() {
                dialect.read_result(&method, answer, object)
            } else {
                dialect.result(&method, answer, false)
            };
            if LongCall::has_long_answer(message) {
                adapted.map(whole)
            } else {
                adapted.and_then(|answer| server.valid_answer_to(message, answer, dialect))
            }
        }
        Ok(CallAnswer::Task(task)) => {
            state.note_task();
            dialect.task(&task)
        }
        Err(error) => Err(error),
    };
    Ok(answer.map_or_else(Reply::error, Reply::ok))
}

/// Returns the result of a tool's call in MCP's form, if the server answered with bare data.
fn bare(message: &Incoming, answer: &Answer) -> Option<RawResult> {
    // A server of a stateless revision states the kind of its result.
    if answer.object.is_some() {
        return None;
    }
    ToolCall::of(message).and_then(|_| of_bare_data(&answer.result))
}

/// The rounds of one request of a host.
struct HostRounds<'a> {
    server: &'a Arc<Server>,
    link: &'a Link,
    message: &'a mut Incoming,
    relay: Option<Relay>,
    /// The search for secrets, if there is one.
    search: Option<CallSearch>,
    caller: Option<&'a Arc<Caller>>,
    plan: &'a Plan,
    dialect: HostDialect,
    state: &'a SendState,
    end: Option<&'a EarlyEnd>,
    clock: &'a CallClock,
    is_first: bool,
}

impl Rounds for HostRounds<'_> {
    async fn send(&mut self, params: RawObject) -> Result<Option<RawResult>, CallError> {
        let Self { server, state, caller, .. } = *self;
        // Somebody was asked since the last round, which takes an unlimited time.
        let is_first = std::mem::take(&mut self.is_first);
        if !is_first {
            state.note_begun();
            mark_waited(self.message);
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
        let entered = caller.map(|caller| server.callers.enter(id, caller.clone()));
        let long = LongCall::enter(self.message, peer, id);
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
        let answer = relay(server, call, to_host, way, state).await;
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
        let answer = questions::ask(self.server, caller, limit, Some(key), &method, params).await;
        answer.map_err(CallError::Peer)
    }
}

impl HostRounds<'_> {
    /// Asks the user of a stateless host to visit the URLs that a server requires. A host of the `initialize` era does so itself,
    /// and calls again.
    async fn visit_urls(&self, error: ErrorObject) -> Result<(), CallError> {
        let parked = self.caller.filter(|caller| caller.parked.is_some());
        let Some(required) = parked.and_then(|_| url_required::as_round(&error)) else {
            let error = url_required::for_host(self.server, self.caller.map(Arc::as_ref), error).await;
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
    fn params(&self, mut params: RawObject, id: i64, span: Option<&ServerSpan>) -> RawObject {
        let trace = self.message.ext.get::<TraceId>();
        if let Some(trace) = trace.filter(|_| self.link.negotiated.is_some()) {
            request_meta::set_trace_id(&mut params, trace);
        }
        params.edit("_meta", |meta| {
            ask_for_progress(meta, id);
            let parent = match span {
                // The server's own spans become children of this call.
                Some(span) => span.traceparent().map(str::to_owned),
                None => trace
                    .filter(|trace| !is_named(meta, trace))
                    .and_then(|t| t.traceparent(id.unsigned_abs(), true)),
            };
            if let Some(parent) = parent {
                request_meta::set_traceparent(meta, &parent);
            }
            let Self { server, link, caller, plan, .. } = *self;
            // Without the member, another kernel behind this one would attribute all calls to one host, and mix up the states of hosts.
            if link.is_kernel()
                && ToolCall::of(self.message).is_some()
                && meta.get(SESSION_STATE_KEY).is_none()
            {
                meta.insert(SESSION_STATE_KEY, RawJson::null());
            }
            let profile = || HostProfile {
                capabilities: caller.map(|caller| callback_bridge::capabilities(caller)).unwrap_or_default(),
                takes_tasks: plan.declares(),
                log_level: caller.and_then(|caller| logging::level(caller.peer.session())),
            };
            link.session.write_profile(meta, profile, |all| questions::capabilities_for(server, all));
            true
        });
        params
    }
}

/// Returns whether the caller's `traceparent` names a trace. Without a span of the kernel, the server's spans become its children.
fn is_named(meta: &RawObject, trace: &TraceId) -> bool {
    let caller = meta.text("traceparent").and_then(|header| TraceParent::parse(&header));
    caller.is_some_and(|caller| caller.trace.is_same(trace))
}

/// Returns the params that the server gets in every round: with the server's own name for the tool, and without MGP members if
/// the server does not speak MGP. The arguments are byte for byte those that the validators saw.
fn params_for_server(link: &Link, mut params: RawObject, message: &Incoming) -> RawObject {
    if let Some(ToolCall { target, .. }) = ToolCall::of(message)
        && target.called_as != target.tool.tool_name
    {
        params.insert("name", RawJson::string(&target.tool.tool_name));
    }
    remove_profile(&mut params);
    if link.negotiated.is_some() {
        // Members that no gate has read must not reach a server that might read them.
        mgp_member::unify(&mut params);
    } else {
        mgp_member::strip(&mut params);
    }
    if link.has_proposals() {
        proposals::write(&mut params, message);
    }
    params
}

/// Forwards the notifications before the reply, and returns the reply.
async fn relay(
    server: &Arc<Server>,
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
                Box::pin(callbacks::take(server, call.peer(), &params, None)).await;
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

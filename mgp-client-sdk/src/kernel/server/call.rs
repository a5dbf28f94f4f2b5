//! The only place that sends a host's request to a server: the end of the pipeline for tool calls, and the way of all other
//! requests that are forwarded.

use super::{
    Caller, Link, Server, Understands,
    outcome::{Idempotence, SendState, timed_out},
    questions, understands, url_required,
};
use crate::kernel::tasks::{Created, Plan, created};
use futures_core::future::BoxFuture;
use mgp_security::GateWait;
use mgp_server_sdk::logging;
use mgp_stream::relay::{Host, Relay, Relayed};
use mgp_transport::seam::{
    BoxError, CallError, CallEvent, CallRecord, Incoming, Notification, PendingCall, Reply,
};
use mgp_types::{
    callback::CallbackRequest,
    context::{Target, TraceId},
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{
        CallTool, LogMessage,
        stateless::{InputRequired, InputResponses, RequestEnvelope, ResultType, asks_for_input},
        tasks::core::GetTaskPayload,
    },
    mgp_member, request_meta,
    rpc::{Call, ErrorObject, Notice, RawResult},
};
use std::{
    pin::pin,
    sync::{Arc, Weak},
    task::{Context, Poll},
    time::Duration,
};
use tower_service::Service;

/// The most rounds of input that one request may take.
const MOST_ROUNDS: usize = 16;

/// Sends a host's request to a server, and the server's messages back to the host. Nothing else in the kernel can send `tools/call`.
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
    // The box of the pipeline: one a call, at its end.
    type Future = BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        let server = self.server.upgrade();
        Box::pin(async move {
            // A tool is run only where every gate has judged it.
            if message.method == *CallTool::METHOD && message.ext.get::<Target>().is_none() {
                return Ok(ErrorObject::internal("internal error: the call was not resolved").into());
            }
            let Some((server, link)) = server.and_then(|server| Some((server.clone(), server.link()?)))
            else {
                // The gate before this saw the server connected; the connection ended in between.
                return Ok(ErrorCode::ServerNotReady.error("the server is not connected").into());
            };
            if let Err(refusal) = server.rights.judge_again(server.id(), &message) {
                return Ok(refusal);
            }
            let caller = Caller::of(&message);
            let (idempotence, state) = (Idempotence::of(&message), SendState::default());
            let clock = caller.as_ref().map(|caller| caller.clock.clone()).unwrap_or_default();
            // One that waits for a task lasts as long as the task.
            let waits = message.method == *GetTaskPayload::METHOD;
            let limit = if waits { Duration::MAX } else { server.spec.call_time_limit };
            // Pinned, so that the clock does not hold it once more.
            let run = pin!(run(&server, &link, message, caller, &state));
            let reply = clock.within(limit, run).await;
            let reply = reply.unwrap_or_else(|| Ok(Reply::error(timed_out(&state))));
            idempotence.advise(&server, &link, &state, reply)
        })
    }
}

/// Sends a request in as many rounds as the server asks for input. Few calls ask anything or send notifications before the answer,
/// so the futures for that are boxed, and every other call stays small.
async fn run(
    server: &Arc<Server>,
    link: &Link,
    mut message: Incoming,
    caller: Option<Caller>,
    state: &SendState,
) -> Result<Reply, BoxError> {
    let host = Host::of(&message);
    let understands = message.session().map_or(Understands::PLAIN, Understands::of);
    let method = message.method.clone();
    let params = std::mem::take(&mut message.params).into_object().map_err(CallError::Peer)?;
    let mut params = params_for_server(link, params, &message);
    let plan = match Plan::of(server, link, &message, &mut params) {
        Ok(plan) => plan,
        Err(error) => return Ok(Reply::error(error)),
    };
    // The message is kept to the end, because its body counts toward the limit on all bodies in memory.
    let (record, trace) = (message.ext.get::<CallRecord>().cloned(), message.ext.get::<TraceId>().cloned());
    if let Some(level) = message.session().and_then(logging::asked_for) {
        Box::pin(server.log_from(link, level)).await;
    }
    let mut brought = InputResponses::default();
    for round in 0..MOST_ROUNDS {
        // Somebody was asked since the last round, which takes as long as people take.
        if round > 0 {
            message.ext.insert(GateWait);
            if let Err(refusal) = server.rights.judge_again(server.id(), &message) {
                return Ok(refusal);
            }
        }
        let id = link.peer.next_id();
        let mut round = params_of_round(
            server,
            link,
            params.clone(),
            Round { caller: caller.as_ref(), host: host.as_ref(), trace: trace.as_ref(), plan: &plan, id },
        );
        if asks_for_input(&method) {
            std::mem::take(&mut brought).write(&mut round);
        }
        let _entered = caller.as_ref().map(|caller| server.callers.enter(id, caller.clone()));
        let call = link.peer.start_exact(id, method.clone(), round).await?;
        state.note_sent();
        if let Some(record) = &record {
            record.update(|record| record.attempts += 1);
        }
        let result = match relay(server, call, host.clone(), caller.as_ref(), understands).await {
            Ok(result) => result,
            Err(CallError::Peer(error)) if url_required::is_it(&error) => {
                state.note_begun();
                match Box::pin(visit_urls(server, caller.as_ref(), error)).await {
                    Ok(()) => continue,
                    Err(error) => return Ok(Reply::error(understands.error(error))),
                }
            }
            Err(CallError::Peer(error)) => return Ok(Reply::error(understands.error(plan.error(error)))),
            Err(error) => return Err(error.into()),
        };
        let read = match link.is_stateless().then(|| understands::read(&result)).transpose() {
            Ok(read) => read,
            Err(error) => return Ok(Reply::error(error)),
        };
        match read.as_ref().map_or(ResultType::Complete, ResultType::said_by) {
            ResultType::Task if !plan.takes_task() => {
                let problem = "the server answered with a task, which was not asked for";
                return Ok(ErrorCode::UpstreamError.error_outcome_unknown(problem).into());
            }
            ResultType::Complete | ResultType::Task => {
                let answer = match created(server, link, caller.as_ref(), &plan, result) {
                    // The result itself.
                    Ok(Created::Answer(answer)) if link.is_stateless() => {
                        understands.read_result(&method, answer, read)
                    }
                    Ok(Created::Answer(answer)) => understands.result(&method, answer, false),
                    Ok(Created::Task(task)) => understands.task(&task),
                    Err(error) => Err(error),
                };
                return Ok(answer.map_or_else(Reply::error, Reply::ok));
            }
            ResultType::InputRequired if asks_for_input(&method) => state.note_begun(),
            other => {
                let problem =
                    format!("the server answered with a result of the kind {other}, which was not asked for");
                return Ok(ErrorCode::UpstreamError.error_outcome_unknown(problem).into());
            }
        }
        let required = InputRequired::read(&result).map_err(|error| {
            ErrorCode::UpstreamError.error_outcome_unknown(format!("unreadable round of input: {error}"))
        });
        let answered = match (required, &caller) {
            (Ok(required), Some(caller)) => Box::pin(questions::answer(server, caller, required)).await,
            (Ok(_), None) => Err(ErrorObject::internal("there is no host to ask")),
            (Err(error), _) => Err(error),
        };
        match answered {
            Ok(answers) => brought = answers,
            Err(error) => return Ok(Reply::error(error)),
        }
    }
    let problem = format!("the server asked for input more than {MOST_ROUNDS} times");
    Ok(ErrorCode::UpstreamError.error_outcome_unknown(problem).into())
}

/// Has the user of a stateless host visit the URLs that a server requires. A host of the `initialize` era does that itself, and
/// calls again.
async fn visit_urls(server: &Server, caller: Option<&Caller>, error: ErrorObject) -> Result<(), ErrorObject> {
    let parked = caller.filter(|caller| caller.parked.is_some());
    let Some((caller, required)) = parked.zip(url_required::as_round(&error)) else {
        return Err(url_required::for_host(server, caller, error).await);
    };
    let answers = questions::answer(server, caller, required).await?;
    let accepted = |answer: &RawJson| {
        RawObject::from_json(answer).is_ok_and(|answer| answer.text("action").as_deref() == Some("accept"))
    };
    if answers.answers.iter().all(|(_, answer)| accepted(answer)) {
        return Ok(());
    }
    Err(ErrorObject::invalid_request("the user did not open what the server needs to go on"))
}

/// Returns the params as the server gets them in every round: with the server's own name for the tool, and without MGP members if
/// the server does not speak MGP. The arguments are byte for byte those that the validators saw.
fn params_for_server(link: &Link, mut params: RawObject, message: &Incoming) -> RawObject {
    if let Some(target) = message.ext.get::<Target>()
        && target.called_as != target.tool.tool_name
    {
        params.insert("name", RawJson::string(&target.tool.tool_name));
    }
    RequestEnvelope::strip(&mut params);
    if link.negotiated.is_some() {
        // What no gate read must not reach a server that might.
        mgp_member::unify(&mut params);
    } else {
        mgp_member::strip(&mut params);
    }
    params
}

/// The context of one round.
#[derive(Clone, Copy)]
struct Round<'a> {
    caller: Option<&'a Caller>,
    host: Option<&'a Host>,
    trace: Option<&'a TraceId>,
    plan: &'a Plan,
    id: i64,
}

/// Returns the params of one round, with what is new in each: the kernel's progress token, the span and, for a server of a
/// stateless revision, the host's capabilities.
fn params_of_round(server: &Server, link: &Link, mut params: RawObject, round: Round<'_>) -> RawObject {
    let Round { caller, host, trace, plan, id } = round;
    if let Some(trace) = trace.filter(|_| link.negotiated.is_some()) {
        request_meta::set_trace_id(&mut params, trace);
    }
    params.edit("_meta", |meta| {
        let mut changed = host.is_some_and(|host| host.ask_server(meta, id));
        // The span is ours: the server's own spans hang under this call.
        if let Some(parent) = trace.and_then(|trace| trace.traceparent(id.unsigned_abs())) {
            request_meta::set_traceparent(meta, &parent);
            changed = true;
        }
        if let Some(envelope) = link.envelopes.of(server, link, caller, plan.declares()) {
            envelope.write_to(meta);
            changed = true;
        }
        changed
    });
    params
}

/// Forwards the notifications before the reply, and returns the reply.
async fn relay(
    server: &Server,
    mut call: PendingCall,
    host: Option<Host>,
    caller: Option<&Caller>,
    understands: Understands,
) -> Result<RawResult, CallError> {
    let mut relay = host.map(Relay::new);
    loop {
        match call.next().await {
            CallEvent::Reply(reply) => return reply,
            CallEvent::Notification(Notification { method, params })
                if method == *CallbackRequest::METHOD =>
            {
                server.callbacks.refuse(call.peer(), &params);
            }
            CallEvent::Notification(Notification { method, params }) => {
                let notification = Notification { method, params: understands.params(params) };
                let Some(relay) = &mut relay else { continue };
                let forwarded = Box::pin(async {
                    match relay.forward(notification).await {
                        Ok(Relayed::Other(notification)) => log(notification, caller).await,
                        Ok(_) => {}
                        Err(error) => {
                            tracing::debug!(%error, "a notification could not be forwarded to the host");
                        }
                    }
                });
                forwarded.await;
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

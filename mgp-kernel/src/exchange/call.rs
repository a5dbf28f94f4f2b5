//! Sends hosts' requests to a server; nothing else does. This is the end of the pipeline for tool calls, and the path of
//! all other forwarded requests.

use super::{
    Exchange,
    early_end::EarlyEnd,
    outcome::{Idempotence, PassedLimit, SendState, is_answered, name_server, timed_out},
    proposals, questions,
    rounds::HostRounds,
    stream_summary,
};
use crate::{
    features::tasks::{CallAnswer, Plan},
    ground::{answer_details::MENDED, caller::Caller},
    host::{HostDialect, whole},
    upstream::{Link, Server},
};
use mgp_client_sdk::{
    call_clock::{CallClock, CallLimits},
    session::{Answer, AnswerKinds, RoundLimits, remove_profile, run_rounds},
};
use mgp_lifecycle::retry::CallDeadline;
use mgp_security::results::CallSearch;
use mgp_server_sdk::logging;
use mgp_stream::relay::{Host, Relay};
use mgp_transport::seam::{BoxError, CallError, CallRecord, Incoming, Reply, ToolCall};
use mgp_types::{
    context::Target,
    json::{RawJson, RawObject},
    mcp::{CallTool, tasks::core::GetTaskPayload},
    mgp_member,
    proposals::GivenConfirmation,
    rpc::{Call, ErrorObject, RawResult},
    tool_result::of_bare_data,
};
use std::{pin::pin, sync::Arc, time::Duration};

/// The maximum amount of input that one request may ask for.
const LIMITS: RoundLimits = RoundLimits { rounds: 16, questions: questions::MOST_AT_ONCE };

/// Sends a host's request to a server, with the server's messages about it, and returns the answer for the host. Nothing else in the kernel can
/// send `tools/call`.
pub(super) async fn send(
    exchange: Arc<Exchange>,
    server: Arc<Server>,
    mut message: Incoming,
) -> Result<Reply, BoxError> {
    // A tool runs only after every gate has judged the call.
    if message.method == *CallTool::METHOD && ToolCall::of(&message).is_none() {
        return Ok(ErrorObject::internal("internal error: the call was not resolved").into());
    }
    let left =
        |message: &Incoming| CallDeadline::of(message).map_or(server.spec.call_timeout, CallDeadline::left);
    let link = match server.link_within(left(&message)).await {
        Ok(link) => link,
        Err(error) => return Ok(error.into()),
    };
    match server.rights.access.wait_until_current().await {
        Ok(true) => message.set_waited(),
        Ok(false) => {}
        Err(error) => return Ok(error.into()),
    }
    if let Err(refusal) = server.rights.judge_again(server.id(), &message) {
        return Ok(refusal);
    }
    let caller = Caller::of(&message).map(Arc::new);
    let (idempotence, state) = (Idempotence::of(&message), SendState::default());
    let record = CallRecord::of(&message).cloned();
    let without_caller;
    let clock = match &caller {
        Some(caller) => &caller.clock,
        None => {
            without_caller = CallClock::default();
            &without_caller
        }
    };
    // A request that waits for a task lasts as long as the task.
    let waits = message.method == *GetTaskPayload::METHOD;
    let again = server.spec.call_timeout;
    let first = if waits { Duration::MAX } else { left(&message) };
    let limits = CallLimits { first, again, most: server.spec.call_max };
    let end = EarlyEnd::of(&link, &message);
    // The message is kept until the end, because its body counts toward the limit on all bodies in memory. The future is
    // pinned, so that the clock does not hold it twice.
    let began = clock.mark();
    let way = (&state, end.as_ref(), clock);
    let mut run = pin!(run(&exchange, &server, &link, &mut message, caller.as_ref(), way));
    let (mut reply, mut partial) = (clock.within_limits(&began, limits, run.as_mut()).await, None);
    if let Some(Target { tool, .. }) = idempotence.target()
        && state.is_measure(reply.as_ref())
    {
        server.note_latency(&tool.tool_name, clock.since(&began));
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
        let passed = PassedLimit::of(&server, clock, &began);
        let tool = idempotence.target().map(|target| &*target.called_as);
        Ok(Reply::error(timed_out(tool, &passed, &state, partial)))
    });
    let reply = name_server(&server, &link, reply).await;
    idempotence.advise(&server, &link, &state, reply)
}

/// Sends a request in as many rounds as the server asks for input, and adapts its answer to the host.
async fn run(
    exchange: &Exchange,
    server: &Arc<Server>,
    link: &Link,
    message: &mut Incoming,
    caller: Option<&Arc<Caller>>,
    (state, end, clock): (&SendState, Option<&EarlyEnd>, &CallClock),
) -> Result<Reply, BoxError> {
    let search = CallSearch::of(message).cloned();
    let host = Host::of(message);
    // A secret may be split over two chunks, and the host of a kept result wants no chunks. The reply has the whole text.
    let is_whole = search.as_ref().is_some_and(CallSearch::masks)
        || ToolCall::of(message).is_some_and(|call| call.options().keep);
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
        Box::pin(link.log_from(server.id(), level)).await;
    }
    let settings = (if plan.takes_task() { AnswerKinds::ResultOrTask } else { AnswerKinds::Result }, LIMITS);
    let trace = message.trace().cloned();
    let long = ToolCall::of(message).and_then(|call| call.long.clone());
    let mut rounds = HostRounds {
        exchange,
        server,
        link,
        message,
        trace,
        long: long.as_deref(),
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
    let answered = exchange.tasks.answer_to_call(server, link, caller.map(Arc::as_ref), &plan, result);
    let answer = match answered {
        Ok(CallAnswer::Answer(answer)) => {
            let adapted = if object.is_some() {
                dialect.read_result(&method, answer, object)
            } else {
                dialect.result(&method, answer, false)
            };
            if long.is_some_and(|long| long.has_long_answer()) {
                adapted.map(whole)
            } else {
                adapted.and_then(|answer| valid(server, message, answer, dialect))
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

/// Returns an answer in a form that is valid by MCP's schema of the host's revision, and notes in the record of its call whether the answer was
/// changed.
///
/// # Errors
/// 5000 (`UPSTREAM_ERROR`) if the answer lacks a required member.
fn valid(
    server: &Server,
    message: &Incoming,
    answer: RawResult,
    host: HostDialect,
) -> Result<RawResult, ErrorObject> {
    let (answer, mends) = host.valid(&message.method, answer)?;
    if mends.is_some()
        && let Some(record) = CallRecord::of(message)
    {
        record.update(|record| {
            // A retry may have changed an earlier answer.
            record.details.retain(|(name, _)| *name != MENDED);
            record.details.push((MENDED, true.into()));
        });
    }
    Ok(server.warnings.note_mends(&message.method, (answer, mends)))
}

/// Returns the result of a tool's call in MCP's form, if the server answered with bare data.
fn bare(message: &Incoming, answer: &Answer) -> Option<RawResult> {
    // A server of a stateless revision states the kind of its result.
    if answer.object.is_some() {
        return None;
    }
    ToolCall::of(message).and_then(|_| of_bare_data(&answer.result))
}

/// Returns the params that the server gets in every round: with the server's own name for the tool, and without MGP members if
/// the server does not speak MGP. The arguments are byte for byte those that the validators saw.
fn params_for_server(link: &Link, mut params: RawObject, message: &Incoming) -> RawObject {
    if let Some(call) = ToolCall::of(message) {
        let own = call.options().own_name.as_ref().unwrap_or(&call.target.tool.tool_name);
        if call.target.called_as != *own {
            params.insert("name", RawJson::string(own));
        }
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

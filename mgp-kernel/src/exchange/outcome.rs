//! §14.5 The advice on retries of failed calls. A call that was sent is retryable only if running it twice does no harm.

use crate::upstream::{LimitKey, Link, Server};
use mgp_client_sdk::call_clock::{CallClock, Mark};
#[cfg(feature = "child")]
use mgp_transport::connection::ConnectionError;
use mgp_transport::{
    connection::{error_at_edge, error_of},
    seam::{BoxError, CallError, Incoming, Reply, ToolCall},
};
use mgp_types::{
    context::{Target, TrustLevel},
    error::{ErrorCode, Recovery},
    mcp::{
        Complete, GetPrompt, ReadResource,
        tasks::{GetTask, core::GetTaskPayload},
    },
    rpc::{Call, ErrorObject, RawResult},
};
use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    time::Duration,
};

/// The progress of a request toward its server.
#[derive(Debug, Default)]
pub(super) struct SendState {
    step: AtomicU8,
    /// True if the server answered with a task, which continues after the answer.
    is_task: AtomicBool,
    /// True if the server certainly ran nothing: it was not reached, rejected the request, or requires a confirmation first.
    ran_nothing: AtomicBool,
}

/// The request was handed to the connection.
const SENT: u8 = 1;

/// The server has worked on it, and requires input to continue.
const BEGUN: u8 = 2;

impl SendState {
    pub(super) fn note_sent(&self) {
        self.step.fetch_max(SENT, Ordering::Relaxed);
    }

    pub(super) fn note_begun(&self) {
        self.step.fetch_max(BEGUN, Ordering::Relaxed);
    }

    pub(super) fn note_task(&self) {
        self.is_task.store(true, Ordering::Relaxed);
    }

    /// Notes that the server ran nothing in this round: the transport knows this, or the server requires a confirmation first.
    pub(super) fn note_ran_nothing(&self) {
        self.ran_nothing.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_sent(&self) -> bool {
        self.step.load(Ordering::Relaxed) >= SENT
    }

    fn is_begun(&self) -> bool {
        self.step.load(Ordering::Relaxed) >= BEGUN
    }

    /// Returns whether the server certainly ran nothing of the request, in any round.
    pub(super) fn has_run_nothing(&self) -> bool {
        self.ran_nothing.load(Ordering::Relaxed) && !self.is_begun()
    }

    /// Returns whether the duration of a call measures its tool: the call was answered with its own result, or timed out.
    pub(super) fn is_measure(&self, reply: Option<&Result<Reply, BoxError>>) -> bool {
        match reply {
            None => self.is_sent(),
            Some(Ok(reply)) => {
                reply.result().is_some()
                    && !reply.is_cancelled()
                    && !self.is_task.load(Ordering::Relaxed)
                    && !self.has_run_nothing()
            }
            Some(Err(_)) => false,
        }
    }
}

/// The exceeded time limit of a call.
pub(super) struct PassedLimit {
    limit: Duration,
    /// The configuration key of the limit.
    key: LimitKey,
    /// True if the limit was counted from the server's last progress.
    is_since_progress: bool,
}

impl PassedLimit {
    /// Returns the exceeded limit of a call with this start.
    pub(super) fn of(server: &Server, clock: &CallClock, began: &Mark) -> Self {
        let (limit, most, keys) = (server.spec.call_timeout, server.spec.call_max, &server.spec.limit_keys);
        if clock.restarted_since(began).is_none() || most <= limit {
            return Self { limit, key: keys.call, is_since_progress: false };
        }
        match clock.since(began) >= most {
            true => Self { limit: most, key: keys.call_max, is_since_progress: false },
            false => Self { limit, key: keys.call, is_since_progress: true },
        }
    }
}

/// Returns the error of a request that timed out. The details of its advice include the server's partial result, if there is one.
pub(super) fn timed_out(
    tool: Option<&str>,
    PassedLimit { limit, key, is_since_progress }: &PassedLimit,
    state: &SendState,
    partial: Option<RawResult>,
) -> ErrorObject {
    let mut message = "the time limit of the call passed".to_owned();
    if let Some(tool) = tool {
        let since = if *is_since_progress { " after its last progress" } else { "" };
        let _ = write!(message, ": tool {tool:?} did not end within {limit:?}{since} ({key})");
    }
    if state.is_sent() {
        let mut advice = Recovery::outcome_unknown(ErrorCode::Timeout);
        if let (Some(partial), Some(details)) = (partial, &mut advice.details) {
            details.insert("partial_result", partial);
        }
        return ErrorCode::Timeout.error_with(message, advice);
    }
    ErrorCode::Timeout.error_unsent(format!("{message}; it was not sent"))
}

/// Names the server in the error of a failed connection. If the server's process ended, adds the last line that it wrote to stderr. Other
/// answers are not changed.
#[cfg_attr(not(feature = "child"), expect(clippy::unused_async))]
pub(super) async fn name_server(
    server: &Server,
    link: &Link,
    reply: Result<Reply, BoxError>,
) -> Result<Reply, BoxError> {
    match reply {
        Err(error) if error.is::<CallError>() => {
            let mut named = error_at_edge(&error);
            named.message = format!("server {:?}: {}", server.id(), named.message);
            #[cfg(feature = "child")]
            if is_ended(&error)
                && let Some(line) = Box::pin(link.last_stderr_line()).await
            {
                let _ = write!(named.message, "; it last wrote to stderr: {line}");
            }
            #[cfg(not(feature = "child"))]
            let _ = link;
            Ok(Reply::error(named))
        }
        reply => reply,
    }
}

/// Returns whether the other side ended the connection.
#[cfg(feature = "child")]
fn is_ended(error: &BoxError) -> bool {
    match error.downcast_ref() {
        Some(CallError::Connection(reason) | CallError::Lost(reason)) => {
            matches!(reason, ConnectionError::Closed | ConnectionError::Write(_))
        }
        _ => false,
    }
}

/// Returns whether a server answered a request; `None` if unknown. A reply of `None` stands for a timeout.
pub(super) fn is_answered(
    server: &Server,
    state: &SendState,
    reply: Option<&Result<Reply, BoxError>>,
) -> Option<bool> {
    let error = match reply {
        None => return state.is_sent().then_some(false),
        Some(Ok(reply)) => {
            // The transport's error for a URL that does not respond.
            let is_unreachable = |error: &ErrorObject| {
                error.code == i64::from(ErrorCode::UpstreamUnavailable)
                    && Recovery::from_error(error)
                        .is_some_and(|advice| advice.retryable || advice.is_outcome_unknown())
            };
            return Some(!(server.spec.endpoint.is_http() && reply.as_error().is_some_and(is_unreachable)));
        }
        Some(Err(error)) => error.downcast_ref(),
    };
    match error? {
        CallError::Connection(_)
        | CallError::Lost(_)
        | CallError::Unreadable(_)
        | CallError::Timeout { .. } => Some(false),
        CallError::Peer(_)
        | CallError::Result { .. }
        | CallError::Input { .. }
        | CallError::SlowCaller { .. } => Some(true),
        _ => None,
    }
}

/// The knowledge whether a request may run twice without harm.
#[derive(Debug)]
pub(super) enum Idempotence {
    /// A method that only reads.
    Reads,
    /// Depends on the tool.
    Tool(Arc<Target>),
    /// Unknown.
    Unknown,
}

impl Idempotence {
    pub(super) fn of(message: &Incoming) -> Self {
        if let Some(call) = ToolCall::of(message) {
            return Self::Tool(call.target.clone());
        }
        match &*message.method {
            ReadResource::METHOD
            | GetPrompt::METHOD
            | Complete::METHOD
            | GetTask::METHOD
            | GetTaskPayload::METHOD => Self::Reads,
            _ => Self::Unknown,
        }
    }

    /// Corrects the advice of an error: a request may be retried only if it may run twice or certainly did not run.
    pub(super) fn advise(
        &self,
        server: &Server,
        link: &Link,
        state: &SendState,
        reply: Result<Reply, BoxError>,
    ) -> Result<Reply, BoxError> {
        let Some(error) = error_of(&reply) else { return reply };
        // A server's statement about its own calls is used if its trust is sufficient and it speaks MGP.
        let is_believed =
            link.negotiated.is_some() && link.trust_within(server.spec.trust) >= TrustLevel::Standard;
        match Self::advice(&error, state, is_believed, || self.holds(server)) {
            Some(advice) => Ok(Reply::error(advice.attach(error))),
            None => reply,
        }
    }

    /// Returns the advice that replaces that of an error or its code; `None` if the error's advice is kept.
    fn advice(
        error: &ErrorObject,
        state: &SendState,
        is_believed: bool,
        may_run_twice: impl FnOnce() -> bool,
    ) -> Option<Recovery> {
        let code = ErrorCode::from_code(error.code);
        let said = Recovery::from_error(error);
        let is_silent = said.is_none();
        let advice = said.or_else(|| code.map(Recovery::of))?;
        if advice.is_outcome_unknown() {
            let strategy = code?.strategy()?;
            return may_run_twice().then(|| advice.with_retry(strategy));
        }
        if !advice.retryable || may_run_twice() {
            return None;
        }
        // The transport's statement, which is not from the server.
        if state.has_run_nothing() {
            return None;
        }
        if state.is_begun() {
            return Some(code.map_or_else(|| advice.without_retry(), Recovery::outcome_unknown));
        }
        // The server's own error, which has no usable statement about effects before the error.
        (is_silent || (state.is_sent() && !is_believed)).then(|| advice.without_retry())
    }

    /// Returns the target of a tool call.
    pub(super) fn target(&self) -> Option<&Target> {
        match self {
            Self::Tool(target) => Some(target),
            Self::Reads | Self::Unknown => None,
        }
    }

    fn holds(&self, server: &Server) -> bool {
        match self {
            Self::Reads => true,
            Self::Unknown => false,
            Self::Tool(target) => server.may_run_twice(&target.tool.tool_name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstream::LimitKeys;

    #[test]
    fn a_call_that_timed_out_before_sending_may_be_repeated() {
        let state = SendState::default();
        let limit = PassedLimit {
            limit: Duration::from_secs(1),
            key: LimitKeys::OF_SERVER.call,
            is_since_progress: false,
        };
        let advice = Recovery::from_error(&timed_out(None, &limit, &state, None)).unwrap();
        assert!(advice.retryable && !advice.is_outcome_unknown());
        state.note_sent();
        let advice = Recovery::from_error(&timed_out(None, &limit, &state, None)).unwrap();
        assert!(!advice.retryable && advice.is_outcome_unknown());
    }

    #[test]
    fn a_call_that_a_server_began_counts_as_run() {
        let state = SendState::default();
        state.note_ran_nothing();
        assert!(state.has_run_nothing());
        state.note_begun();
        assert!(!state.has_run_nothing());
    }

    #[test]
    fn an_error_advises_a_retry_only_if_the_request_is_repeatable() {
        let code = ErrorCode::ResourceExhausted;
        let own = ErrorObject::new(i64::from(code), "the server's own");
        let (unsent, unknown) = (code.error_unsent("full"), code.error_outcome_unknown("lost"));
        let sent = SendState::default();
        sent.note_sent();
        let begun = SendState::default();
        begun.note_begun();
        let foreign = Recovery::unsent(code).attach(ErrorObject::new(-32000, "retry, it says"));
        let idle = SendState::default();
        for (error, state, is_believed, may_run_twice, expected) in [
            (&own, &sent, true, false, Some((false, false))),
            (&own, &sent, true, true, None),
            (&own, &begun, true, false, Some((false, true))),
            (&unsent, &sent, true, false, None),
            (&unsent, &sent, false, false, Some((false, false))),
            (&unsent, &sent, false, true, None),
            (&unsent, &idle, false, false, None),
            (&unsent, &begun, true, false, Some((false, true))),
            (&unsent, &begun, true, true, None),
            (&unknown, &begun, true, false, None),
            (&unknown, &begun, true, true, Some((true, true))),
            (&foreign, &sent, true, false, None),
            (&foreign, &sent, false, false, Some((false, false))),
            (&foreign, &begun, true, false, Some((false, false))),
        ] {
            let advice = Idempotence::advice(error, state, is_believed, || may_run_twice);
            let found = advice.map(|advice| (advice.retryable, advice.is_outcome_unknown()));
            assert_eq!(found, expected, "{error} {state:?} {is_believed} {may_run_twice}");
        }
    }
}

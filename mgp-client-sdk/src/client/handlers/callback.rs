//! §13.4 Answers the callbacks of a server with the client's handler, concurrently with calls, so that no handler
//! delays them.

use super::answer::IntoAnswer;
use crate::{
    call_clock::CallClock,
    callbacks::{self, CallbackAnswers, error_response, no_such_call},
    client::call_end::CallEnd,
};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_transport::seam::{BoxError, Peer};
use mgp_types::{
    callback::{CallbackRequestParams, CallbackType},
    error::ErrorCode,
    json::{JsonError, RawJson},
    rpc::{ErrorObject, RawParams},
};
use parking_lot::Mutex;
use serde::Serialize;
use std::{collections::HashSet, panic::AssertUnwindSafe, sync::Arc, time::Duration};

/// The maximum number of callbacks of one server that handlers answer at the same time.
const MAX_CALLBACKS: usize = 64;

/// The maximum time for answering a callback, and the time for one without a time limit.
const MAX_TIME: Duration = Duration::from_secs(3600);

/// The time for handling a callback that needs no answer.
const NOTICE_TIME: Duration = Duration::from_secs(60);

/// A handler of callbacks.
pub(super) type CallbackHandler =
    Arc<dyn Fn(CallbackRequestParams) -> BoxFuture<'static, Result<CallbackAnswer, BoxError>> + Send + Sync>;

/// The answer to a callback (§13.4): a handler's answer in [`on_callback`](crate::client::ClientBuilder::on_callback).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallbackAnswer(RawJson);

impl CallbackAnswer {
    /// Returns the answer of a user who confirms.
    #[must_use]
    pub fn confirm() -> Self {
        Self::text("confirm")
    }

    /// Returns the answer of a user who declines.
    #[must_use]
    pub fn decline() -> Self {
        Self::text("decline")
    }

    /// Returns the answer of a user who closed the question without an answer.
    #[must_use]
    pub fn cancel() -> Self {
        Self::text("cancel")
    }

    /// Returns a text: the user's input, or the option that the user chose.
    #[must_use]
    pub fn text(text: impl AsRef<str>) -> Self {
        Self(RawJson::string(text.as_ref()))
    }

    /// Returns any other value as the answer.
    ///
    /// # Errors
    /// If the value cannot be written as JSON.
    pub fn value(value: &impl Serialize) -> Result<Self, JsonError> {
        RawJson::from_value(value).map(Self)
    }
}

/// Wraps a handler of callbacks.
pub(super) fn handler<F, Fut>(handler: F) -> CallbackHandler
where
    F: Fn(CallbackRequestParams) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoAnswer<CallbackAnswer>> + Send + 'static,
{
    Arc::new(move |params| {
        let answering = handler(params);
        async move { answering.await.into_answer() }.boxed()
    })
}

/// The ids of the callbacks that handlers are answering. Clones share them.
#[derive(Debug, Clone, Default)]
pub(in crate::client) struct ActiveCallbacks(Arc<Mutex<HashSet<String>>>);

impl ActiveCallbacks {
    /// Answers a callback with the handler, in a separate task, until its time is up, or its call or the connection has ended. A callback
    /// that needs no answer outlives its call, which may end right after it. Must be called within a Tokio runtime.
    pub(super) fn answer(
        &self,
        handler: &CallbackHandler,
        server: &Peer,
        params: &RawParams,
        (call, clock): (Option<CallEnd>, &CallClock),
        refused: &CallbackAnswers,
    ) {
        let asked = match params.decode::<CallbackRequestParams>() {
            Ok(asked) => asked,
            Err(error) => return refused.refuse(server, params, &error),
        };
        let wants_answer = asked.kind != CallbackType::Notification;
        if let (None, Some(request_id), true) = (&call, &asked.request_id, wants_answer) {
            return refused.refuse(server, params, &no_such_call(request_id));
        }
        let session = server.session().id().to_owned();
        let id = asked.callback_id.clone();
        let active = match self.enter(&id) {
            Ok(active) => active,
            Err(NoEntry::Repeated) => {
                return tracing::debug!(session, id, "a repeated callback of the server is ignored");
            }
            Err(NoEntry::TooMany) => {
                let problem = format!("too many callbacks at once: at most {MAX_CALLBACKS} are answered");
                return refused.refuse(server, params, &ErrorCode::ResourceExhausted.error(problem));
            }
        };
        let limit = AnswerLimit::of(&asked);
        let standing_still = wants_answer.then(|| clock.pause());
        let (handler, server) = (handler.clone(), server.unbound());
        tokio::spawn(async move {
            let _active = active;
            let over = async {
                match call {
                    Some(call) if wants_answer => call.over().await,
                    _ => std::future::pending().await,
                }
            };
            let handled = AssertUnwindSafe(async { handler(asked).await }).catch_unwind();
            let answer = tokio::select! {
                answer = tokio::time::timeout(limit.time, handled) => answer,
                () = over => return,
                () = server.closed(), if wants_answer => return,
            };
            drop(standing_still);
            let response = match answer {
                Ok(answer) => response(&session, &id, answer),
                Err(_) => {
                    tracing::info!(session, id, limit = ?limit.time, "a callback of the server was not answered in time");
                    if limit.is_the_servers {
                        return;
                    }
                    let problem = format!("nobody answered the callback within {:?}", limit.time);
                    error_response(&ErrorCode::Timeout.error(problem))
                }
            };
            if wants_answer {
                callbacks::answer(&server, &id, response).await;
            }
        });
    }

    fn enter(&self, id: &str) -> Result<ActiveGuard, NoEntry> {
        let mut active = self.0.lock();
        if active.contains(id) {
            return Err(NoEntry::Repeated);
        }
        if active.len() >= MAX_CALLBACKS {
            return Err(NoEntry::TooMany);
        }
        active.insert(id.to_owned());
        Ok(ActiveGuard { active: self.clone(), id: id.to_owned() })
    }
}

/// The reason why no handler answers a callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoEntry {
    /// A callback with the same id is being answered.
    Repeated,
    /// The maximum number of callbacks is being answered.
    TooMany,
}

/// The time limit of a handler.
#[derive(Debug, Clone, Copy)]
struct AnswerLimit {
    time: Duration,
    /// True if the server does not wait longer, either, so that it needs no answer afterwards.
    is_the_servers: bool,
}

impl AnswerLimit {
    fn of(asked: &CallbackRequestParams) -> Self {
        if asked.kind == CallbackType::Notification {
            return Self { time: NOTICE_TIME, is_the_servers: true };
        }
        let servers = asked.timeout_ms.map(Duration::from_millis).filter(|time| *time <= MAX_TIME);
        Self { time: servers.unwrap_or(MAX_TIME), is_the_servers: servers.is_some() }
    }
}

/// A callback that is being answered, until this value is dropped.
#[derive(Debug)]
struct ActiveGuard {
    active: ActiveCallbacks,
    id: String,
}

impl Drop for ActiveGuard {
    fn drop(&mut self) {
        self.active.0.lock().remove(&self.id);
    }
}

/// The outcome of a handler; the outer error is that of a panic.
type HandlerOutcome = Result<Result<CallbackAnswer, BoxError>, Box<dyn std::any::Any + Send>>;

/// Returns the response to a callback from the outcome of its handler.
fn response(session: &str, id: &str, outcome: HandlerOutcome) -> RawJson {
    let problem = match outcome {
        Ok(Ok(CallbackAnswer(response))) => return response,
        Ok(Err(error)) => match error.downcast::<ErrorObject>() {
            Ok(own) => return error_response(&own),
            Err(error) => error.to_string(),
        },
        Err(_) => {
            tracing::error!(session, id, "a handler of callbacks panicked");
            "the handler panicked".to_owned()
        }
    };
    error_response(&ErrorObject::internal(format!("failed to answer the callback: {problem}")))
}

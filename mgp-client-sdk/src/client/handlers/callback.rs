//! §13.4 Answers the callbacks of a server with the client's handler, beside the calls, which no handler holds up.

use super::answer::IntoAnswer;
use crate::{
    call_clock::CallClock,
    callbacks::{ANSWER_TIMEOUT, error_response},
};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_transport::seam::{BoxError, CancelToken, Peer};
use mgp_types::{
    callback::{
        CallbackRequestParams, CallbackRespondParams, CallbackRespondResult, CallbackType, RespondCallback,
    },
    json::{JsonError, RawJson},
    rpc::{ErrorObject, JsonRpcCode, RawParams},
};
use parking_lot::Mutex;
use serde::Serialize;
use std::{collections::HashSet, panic::AssertUnwindSafe, sync::Arc, time::Duration};

/// The most callbacks of one server that handlers answer at the same time.
const MAX_CALLBACKS: usize = 64;

/// The longest time that a handler has for a callback, and its time for one that names no time.
const MAX_TIME: Duration = Duration::from_secs(3600);

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
    /// The value cannot be written as JSON.
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
    /// Has a callback answered by the handler, in a task of its own, until its time is up, or its call or the connection is over.
    /// Must be called within a Tokio runtime.
    pub(super) fn answer(
        &self,
        handler: &CallbackHandler,
        server: &Peer,
        params: &RawParams,
        over: CancelToken,
        clock: &CallClock,
    ) {
        let params = match params.decode::<CallbackRequestParams>() {
            Ok(params) => params,
            Err(error) => return self.answer_unreadable(server, params, &error),
        };
        let session = server.session().id().to_owned();
        let id = params.callback_id.clone();
        let Some(active) = self.enter(&id) else {
            return tracing::warn!(
                session,
                id,
                "a callback of the server is left out: it is being answered, or too many are"
            );
        };
        let wants_answer = params.kind != CallbackType::Notification;
        let time = params.timeout_ms.map_or(MAX_TIME, |time| Duration::from_millis(time).min(MAX_TIME));
        let standing_still = wants_answer.then(|| clock.pause());
        let (handler, server) = (handler.clone(), server.unbound());
        tokio::spawn(async move {
            let handled = AssertUnwindSafe(async { handler(params).await }).catch_unwind();
            let answer = tokio::select! {
                answer = tokio::time::timeout(time, handled) => answer,
                () = over.cancelled() => return,
                () = server.closed() => return,
            };
            drop(standing_still);
            let Ok(answer) = answer else {
                return tracing::info!(session, id, "a callback of the server was not answered in time");
            };
            let response = match answer {
                Ok(Ok(CallbackAnswer(response))) => response,
                Ok(Err(error)) => match error.downcast::<ErrorObject>() {
                    Ok(own) => error_response(own.code, &own.message),
                    Err(error) => failed(&error.to_string()),
                },
                Err(_) => {
                    tracing::error!(session, id, "a handler of callbacks panicked");
                    failed("the handler panicked")
                }
            };
            if wants_answer {
                send(&server, id, response).await;
            }
            drop(active);
        });
    }

    /// Answers a callback that cannot be read with an error, if its id can be read.
    fn answer_unreadable(&self, server: &Peer, params: &RawParams, error: &ErrorObject) {
        let session = server.session().id();
        tracing::warn!(session, %error, "unreadable callback of the server");
        let id = params.object().ok().and_then(|params| params.text("callback_id"));
        let Some((id, active)) = id.and_then(|id| Some((id.clone(), self.enter(&id)?))) else { return };
        let (server, response) = (server.unbound(), error_response(error.code, &error.message));
        tokio::spawn(async move {
            send(&server, id, response).await;
            drop(active);
        });
    }

    fn enter(&self, id: &str) -> Option<ActiveGuard> {
        let mut active = self.0.lock();
        let fits = active.len() < MAX_CALLBACKS && active.insert(id.to_owned());
        fits.then(|| ActiveGuard { active: self.clone(), id: id.to_owned() })
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

fn failed(problem: &str) -> RawJson {
    error_response(JsonRpcCode::InternalError.into(), &format!("failed to answer the callback: {problem}"))
}

/// Sends a response, and logs that the server does not accept it.
async fn send(server: &Peer, callback_id: String, response: RawJson) {
    let id = callback_id.clone();
    let params = CallbackRespondParams { callback_id, response };
    let told = tokio::time::timeout(ANSWER_TIMEOUT, server.request::<RespondCallback>(&params)).await;
    let session = server.session().id();
    match told {
        Ok(Ok(CallbackRespondResult { accepted: true, .. })) => {}
        Ok(Ok(CallbackRespondResult { reason, .. })) => {
            tracing::info!(session, id, reason, "the server does not accept the answer to its callback");
        }
        Ok(Err(error)) => {
            tracing::debug!(session, id, %error, "the server did not take the answer to its callback");
        }
        Err(_) => tracing::debug!(session, id, "the server did not take the answer to its callback in time"),
    }
}

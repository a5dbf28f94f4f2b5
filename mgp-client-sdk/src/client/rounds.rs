//! Sends the client's requests in rounds of input, whose questions go to the client's own handlers.

use super::{
    caller::{Caller, OnEvent},
    timeouts::Timeouts,
};
use crate::session::{Answer, AnswerKinds, Rounds, run_rounds};
use mgp_stream::order::ChunkOrder;
use mgp_transport::seam::{CallError, Incoming};
use mgp_types::{
    error::Recovery,
    json::RawObject,
    mcp::{InputRequest, tasks::core::GetTaskPayload},
    rpc::{Call, ErrorObject, RawResult, RequestId},
};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use tower::ServiceExt;

/// The rounds of one request of the client.
struct ClientRounds<'a, 'p> {
    caller: &'a Caller,
    method: &'static str,
    /// Never locked: questions are answered concurrently with the callback, which need not be `Sync`.
    on_event: Mutex<Option<OnEvent<'p>>>,
    /// The order of the chunks over all rounds: a server that restarts repeats their indices, and one that continues counts
    /// on.
    chunks: ChunkOrder,
    /// True once the caller has seen a part of the request, which then is not retried.
    is_begun: &'a AtomicBool,
}

impl Rounds for ClientRounds<'_, '_> {
    async fn send(&mut self, params: RawObject) -> Result<Option<RawResult>, CallError> {
        let on_event = self.on_event.get_mut();
        self.caller.once(self.method, params, on_event, &mut self.chunks).await.map(Some)
    }

    async fn ask(&self, key: &str, question: InputRequest) -> Result<RawResult, CallError> {
        self.is_begun.store(true, Ordering::Relaxed);
        self.caller.ask(key, question).await
    }
}

impl Caller {
    /// Sends a request, round after round, until the server answers it.
    pub(super) async fn call(
        &self,
        method: &'static str,
        params: RawObject,
        on_event: Option<OnEvent<'_>>,
    ) -> Result<RawResult, CallError> {
        self.call_for(AnswerKinds::Result, method, params, on_event).await
    }

    /// Sends a request, round after round, until the server answers it with a kind that `takes` accepts.
    pub(super) async fn call_for(
        &self,
        takes: AnswerKinds,
        method: &'static str,
        params: RawObject,
        on_event: Option<OnEvent<'_>>,
    ) -> Result<RawResult, CallError> {
        if let Some(kept) = self.cache.get(method, &params) {
            return Ok(kept);
        }
        let answer = self.try_often(takes, method, &params, on_event).await?;
        // Only a server of a stateless revision allows caching. A result that depends on answers is not cached.
        if answer.at_once && answer.object.is_some() {
            self.cache.keep(method, &params, &answer.result);
        }
        Ok(answer.result)
    }

    /// Sends a request until it succeeds, or may not be retried.
    async fn try_often(
        &self,
        takes: AnswerKinds,
        method: &'static str,
        params: &RawObject,
        on_event: Option<OnEvent<'_>>,
    ) -> Result<Answer, CallError> {
        let is_begun = AtomicBool::new(false);
        let mut hear = on_event.map(|hear| {
            |event| {
                is_begun.store(true, Ordering::Relaxed);
                hear(event);
            }
        });
        let began = self.clock.mark();
        let settings = (takes, self.limits.rounds());
        let mut again: Option<Box<Self>> = None;
        let mut number = 1;
        loop {
            let on_event = Mutex::new(hear.as_mut().map(|hear| hear as OnEvent<'_>));
            let mut rounds = ClientRounds {
                caller: again.as_deref().unwrap_or(self),
                method,
                on_event,
                chunks: ChunkOrder::new(),
                is_begun: &is_begun,
            };
            let answer = run_rounds(&self.session, method, params.clone(), settings, &mut rounds).await;
            let Err(CallError::Peer(error)) = &answer else { return answer };
            let is_seen = is_begun.load(Ordering::Relaxed) || self.clock.stood_still_since(&began);
            let pause = self.advice(method, error).filter(|_| !is_seen);
            let pause = pause.and_then(|advice| self.retries.pause_before(number, &advice));
            let left = self.timeouts.max.saturating_sub(self.clock.since(&began));
            let Some(pause) = pause.filter(|pause| *pause < left.min(self.timeouts.request)) else {
                return answer;
            };
            tracing::info!(method, number, ?pause, %error, "the request failed, and is retried");
            tokio::time::sleep(pause).await;
            number += 1;
            // All attempts together stay within the total time limit of a request.
            let left = self.timeouts.max.saturating_sub(self.clock.since(&began));
            let timeouts = Timeouts { max: left, ..self.timeouts };
            again = Some(Box::new(Self { timeouts, ..self.clone() }));
        }
    }

    /// Returns the advice to retry in an error, if the server negotiated MGP and gives it itself.
    fn advice(&self, method: &str, error: &ErrorObject) -> Option<Recovery> {
        // The result of a task is the same each time.
        if self.session.greeting.negotiated.is_none() || method == GetTaskPayload::METHOD {
            return None;
        }
        let said = RawObject::from_json(error.data.as_ref()?).ok()?.object("_mgp")?;
        let is_said: Option<bool> = said.decode("retryable").ok()?;
        Recovery::from_error(error).filter(|_| is_said == Some(true))
    }

    /// Asks the client's own service one question, like the requests of a server of the era of `initialize`.
    pub(super) async fn ask(
        &self,
        key: &str,
        InputRequest { method, params }: InputRequest,
    ) -> Result<RawResult, CallError> {
        let mut question = Incoming::request(RequestId::from(key), method.clone(), params);
        question.ext.insert(self.context());
        let outcome = match self.service.clone().oneshot(question).await {
            Ok(reply) => reply.into_outcome(),
            Err(error) => Some(Err(ErrorObject::internal(error.to_string()))),
        };
        let answer = outcome.unwrap_or_else(|| Err(ErrorObject::method_not_found(&method)));
        answer.map_err(|error| CallError::Input { method, error })
    }
}

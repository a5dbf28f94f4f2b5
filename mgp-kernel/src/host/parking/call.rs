//! One call on its own connection, which outlives the requests of its host.

use super::address::Address;
use crate::ground::round_host::RoundHost;
use futures_core::future::BoxFuture;
use mgp_transport::{
    connection::{Body, ConnectionError, Outbound, Outgoing, SendError},
    seam::{CallError, CancelCause, Peer},
};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{Cancelled, ElicitationComplete, InputRequest, InputRequired},
    rpc::{ErrorObject, Notice, RawParams, RawResult, RequestId},
};
use parking_lot::Mutex;
use std::{fmt, sync::Arc, time::Duration};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

/// The maximum number of open questions of one call.
const MOST_QUESTIONS: usize = 64;
/// The time to wait for more questions after the first, so that questions asked together form one round.
const GATHER: Duration = Duration::from_millis(5);

/// One call on its own connection. Notifications before its answer go to the host's waiting request. Questions to the host become
/// a round of input.
pub(crate) struct ParkedCall {
    state: Mutex<State>,
    /// Notified when a question or the answer arrives.
    changed: Notify,
    /// Cancelled when the call's connection is closed.
    closed: CancellationToken,
}

#[derive(Default)]
struct State {
    /// The call's end of its connection. It is dropped when the call ends, because the connection holds this call,
    /// too.
    inner: Option<Peer>,
    /// The id of the call on its connection.
    id: Option<RequestId>,
    /// The host's waiting request.
    host: Option<Peer>,
    /// The ids of the host's request; `None` for the first request.
    address: Option<Address>,
    questions: Vec<Question>,
    /// Answers that arrived before their questions.
    early: RawObject,
    asked: u64,
    answer: Option<Option<Result<RawResult, ErrorObject>>>,
}

struct Question {
    key: String,
    method: String,
    params: RawParams,
    to: AnswerTo,
}

/// The receiver of an answer.
enum AnswerTo {
    /// The sender of a request on the call's connection.
    Request(RequestId),
    /// The caller of [`RoundHost::ask`].
    Asker(oneshot::Sender<RawResult>),
}

impl AnswerTo {
    /// Returns whether the sender of the question has stopped waiting.
    fn is_gone(&self) -> bool {
        matches!(self, Self::Asker(to) if to.is_closed())
    }
}

/// The answer to a host's request.
pub(super) enum Outcome {
    /// The end of the call; `None` if it was cancelled.
    Answer(Option<Result<RawResult, ErrorObject>>),
    /// A round of questions to the host.
    Round(InputRequired),
}

impl ParkedCall {
    /// Creates a call whose host has already supplied the answers in `early`.
    pub(crate) fn new(host: Option<Peer>, early: RawObject) -> Arc<Self> {
        let state = State { host, early, ..State::default() };
        Arc::new(Self { state: Mutex::new(state), changed: Notify::new(), closed: CancellationToken::new() })
    }

    /// Sets the call's end of its connection, and its id there.
    pub(super) fn started(&self, inner: Peer, id: Option<RequestId>) {
        let mut state = self.state.lock();
        // The call may have ended already.
        if state.answer.is_none() {
            (state.inner, state.id) = (Some(inner), id);
        }
    }

    async fn put_and_wait(&self, key: &str, method: &str, params: RawParams) -> Result<RawResult, CallError> {
        let (to, answer) = oneshot::channel();
        let question =
            Question { key: key.to_owned(), method: method.to_owned(), params, to: AnswerTo::Asker(to) };
        if !self.put(question) {
            return Err(CallError::TooManyCalls { limit: MOST_QUESTIONS });
        }
        answer.await.map_err(|_| CallError::Lost(ConnectionError::Shutdown))
    }

    /// Attaches another request of the host, with the answers that it contains. Open questions are asked again.
    pub(super) fn attach(&self, host: Option<Peer>, address: Address, answers: &RawObject) {
        {
            let mut state = self.state.lock();
            (state.host, state.address) = (host, Some(address));
        }
        self.answer(answers);
        if !self.state.lock().questions.is_empty() {
            self.changed.notify_one();
        }
    }

    /// Waits for the answer, or, unless the call `is_cancelled`, for questions to the host.
    pub(super) async fn outcome(&self, is_cancelled: bool) -> Outcome {
        loop {
            let changed = self.changed.notified();
            if let Some(outcome) = self.ended() {
                return outcome;
            }
            if is_cancelled || !self.has_questions() {
                changed.await;
                continue;
            }
            tokio::time::sleep(GATHER).await;
            if let Some(outcome) = self.ended() {
                return outcome;
            }
            // The question may have been withdrawn meanwhile.
            if self.has_questions() {
                return self.round();
            }
        }
    }

    /// Returns whether any question is still unanswered.
    fn has_questions(&self) -> bool {
        let mut state = self.state.lock();
        state.questions.retain(|question| !question.to.is_gone());
        !state.questions.is_empty()
    }

    /// Withdraws a question that was a request on the call's connection.
    fn withdraw(&self, params: &RawParams) {
        let asked = params.object().ok().and_then(|params| params.get("requestId"));
        let Some(id) = asked.and_then(|id| RequestId::from_json(id).ok()) else { return };
        let is_it = |question: &Question| matches!(&question.to, AnswerTo::Request(known) if *known == id);
        self.state.lock().questions.retain(|question| !is_it(question));
    }

    fn ended(&self) -> Option<Outcome> {
        self.state.lock().answer.take().map(Outcome::Answer)
    }

    fn round(&self) -> Outcome {
        let mut state = self.state.lock();
        state.host = None;
        let mut required = InputRequired::default();
        for Question { key, method, params, .. } in &state.questions {
            required.ask(key, InputRequest { method: method.clone(), params: params.clone() });
        }
        Outcome::Round(required)
    }

    /// Cancels the call.
    pub(super) fn cancel(&self) {
        let inner = self.state.lock().inner.take();
        if let Some(inner) = inner {
            inner.close();
        }
    }

    /// §12.7 Cancels the call so that it ends with its partial result. Returns false if it has ended already without an answer.
    pub(super) fn cancel_by_method(&self) -> bool {
        let (inner, id, has_answer) = {
            let state = self.state.lock();
            (state.inner.clone(), state.id.clone(), state.answer.is_some())
        };
        let (Some(inner), Some(id)) = (inner, id) else { return has_answer };
        inner.running(&id).is_some_and(|call| call.cancel(CancelCause::Method))
    }

    /// Notifies the call that its host sends no more requests, so that it stops waiting for a person.
    pub(super) fn drain(&self) {
        if let Some(inner) = &self.state.lock().inner {
            inner.drain();
        }
    }

    /// Waits until the call's connection is closed.
    pub(super) async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Opens a question, or answers it with an early answer of the host. Returns whether there was room.
    ///
    /// The kernel's own questions are always put to the user, and never use an early answer.
    fn put(&self, mut question: Question) -> bool {
        let early = {
            let mut state = self.state.lock();
            if state.questions.len() >= MOST_QUESTIONS {
                return false;
            }
            let early = match question.to {
                AnswerTo::Asker(_) => state.early.remove(&question.key),
                AnswerTo::Request(_) => None,
            };
            if early.is_none() {
                // Two servers, or a server and the kernel, may choose the same key.
                while state.questions.iter().any(|known| known.key == question.key) {
                    state.asked += 1;
                    question.key = format!("{}-{}", question.key, state.asked);
                }
                state.questions.push(question);
                drop(state);
                self.changed.notify_one();
                return true;
            }
            early
        };
        if let Some(answer) = early {
            self.deliver(question.to, answer);
        }
        true
    }

    fn deliver(&self, to: AnswerTo, answer: RawJson) {
        match to {
            // The asker may have stopped waiting.
            AnswerTo::Asker(to) => drop(to.send(answer)),
            AnswerTo::Request(id) => {
                let inner = self.state.lock().inner.clone();
                if let Some(inner) = inner {
                    inner.answered(&id, Ok(answer));
                }
            }
        }
    }

    fn end(&self, answer: Option<Result<RawResult, ErrorObject>>) {
        let _ended = {
            let mut state = self.state.lock();
            state.answer.get_or_insert(answer);
            state.inner.take()
        };
        self.changed.notify_one();
    }
}

impl RoundHost for ParkedCall {
    fn ask<'a>(
        &'a self,
        key: &'a str,
        method: &'a str,
        params: RawParams,
    ) -> BoxFuture<'a, Result<RawResult, CallError>> {
        Box::pin(self.put_and_wait(key, method, params))
    }

    fn answer(&self, answers: &RawObject) {
        let mut state = self.state.lock();
        let (answered, open): (Vec<_>, Vec<_>) = std::mem::take(&mut state.questions)
            .into_iter()
            .partition(|question| answers.get(&question.key).is_some());
        state.questions = open;
        drop(state);
        for Question { key, to, .. } in answered {
            if let Some(answer) = answers.get(&key) {
                self.deliver(to, answer.clone());
            }
        }
    }

    fn open(&self) -> RawObject {
        let mut open = RawObject::new();
        if self.has_questions() {
            for Question { key, method, params, .. } in &self.state.lock().questions {
                let request = InputRequest { method: method.clone(), params: params.clone() };
                open.insert_named(key, request.to_json());
            }
        }
        open
    }

    fn fresh_key(&self, method: &str) -> String {
        let mut state = self.state.lock();
        state.asked += 1;
        format!("{}-{}", method.replace('/', "-"), state.asked)
    }
}

impl Outbound for ParkedCall {
    fn try_send(&self, message: &Outgoing<'_>) -> Result<(), SendError> {
        match message.body {
            Body::Response { outcome, .. } => self.end(Some(outcome.clone())),
            Body::Silence { .. } => self.end(None),
            Body::Request { id, method, params } => {
                let key = format!("{}-{id}", method.replace('/', "-"));
                let (method, params) = (method.to_string(), params.clone());
                let question = Question { key, method, params, to: AnswerTo::Request(id.clone()) };
                if !self.put(question) {
                    return Err(SendError::Full);
                }
            }
            Body::Notification { method, params } if *method == *Cancelled::METHOD => self.withdraw(params),
            // Stateless revisions have no such notification.
            Body::Notification { method, .. } if *method == *ElicitationComplete::METHOD => {}
            Body::Notification { method, params } => {
                let (host, address) = {
                    let state = self.state.lock();
                    (state.host.clone(), state.address.clone())
                };
                match (host, address) {
                    (Some(host), None) => return host.try_forward(message.body, message.urgent),
                    (Some(host), Some(address)) => {
                        if let Some(params) = &address.put(method, params) {
                            return host.try_forward(Body::Notification { method, params }, message.urgent);
                        }
                    }
                    // Between two rounds there is no receiver.
                    (None, _) => tracing::debug!("a parked call's notification was dropped"),
                }
            }
        }
        Ok(())
    }

    fn room(&self, message: &Outgoing<'_>) -> BoxFuture<'_, ()> {
        let host = self.state.lock().host.clone();
        let is_notification = matches!(message.body, Body::Notification { .. });
        Box::pin(async move {
            match host.filter(|_| is_notification) {
                Some(host) => host.room().await,
                None => tokio::time::sleep(GATHER).await,
            }
        })
    }

    fn flush(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn close(&self, _: &ConnectionError) {
        self.closed.cancel();
        self.end(None);
    }
}

impl fmt::Debug for ParkedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parked").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_transport::connection::Route;
    use mgp_types::rpc::Method;
    use std::{
        future::Future,
        pin::pin,
        sync::atomic::{AtomicUsize, Ordering},
        task::{Context, Poll, Wake},
    };

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_call_with_a_question_waits_for_its_end() {
        let call = ParkedCall::new(None, RawObject::new());
        let (id, method, params) =
            (RequestId::from(1), Method::known("elicitation/create"), RawParams::none());
        let body = Body::Request { id: &id, method: &method, params: &params };
        call.try_send(&Outgoing { route: &Route::Session, body, urgent: false }).unwrap();
        assert!(matches!(call.outcome(false).await, Outcome::Round(_)));

        let wakes = Arc::new(Wakes::default());
        let waker = wakes.clone().into();
        let mut context = Context::from_waker(&waker);
        let mut outcome = pin!(call.outcome(true));
        while outcome.as_mut().poll(&mut context).is_pending() && wakes.0.swap(0, Ordering::Relaxed) > 0 {}
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(wakes.0.load(Ordering::Relaxed), 0, "nothing has changed");
        call.end(None);
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        assert!(matches!(outcome.as_mut().poll(&mut context), Poll::Ready(Outcome::Answer(None))));
    }
}

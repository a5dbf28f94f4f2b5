//! The questions of a session that wait for an answer.

use super::{CallbackForm, CallbackQuestion};
use mgp_transport::seam::{CallError, Incoming, Peer, Reply, Role, RouteError, Routes, Session};
use mgp_types::{
    callback::{
        CallbackRequest, CallbackRequestParams, CallbackRespondParams, CallbackRespondResult, CallbackType,
        RespondCallback,
    },
    json::RawJson,
    mcp::ElicitResult,
    rpc::{ErrorObject, RequestId},
};
use parking_lot::Mutex;
use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Duration,
};
use tokio::sync::oneshot;

/// The most questions that may wait for an answer in one session.
pub const MAX_OPEN: usize = 64;

/// The maximum number of ended questions remembered per session, so that a late answer is refused with the reason.
const MAX_ENDED: usize = 256;

/// The prefix of the reason for refusing a response that does not answer its question. The question stays open.
pub const INVALID_RESPONSE: &str = "invalid_response";

/// The questions of one session that wait for an answer (§13.4). Clones belong to the same session.
#[derive(Debug, Clone, Default)]
pub struct OpenCallbacks(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    minted: u64,
    open: HashMap<Box<str>, OpenCallback>,
    /// The ends of the last questions, the oldest first.
    ended: VecDeque<(Box<str>, CallbackEnd)>,
}

#[derive(Debug)]
struct OpenCallback {
    asked: QuestionCheck,
    answer: oneshot::Sender<Result<RawJson, ErrorObject>>,
}

/// A question with the check of its response.
#[derive(Debug, Clone)]
enum QuestionCheck {
    Question(CallbackQuestion),
    Form(CallbackForm),
}

impl QuestionCheck {
    fn question(&self) -> &CallbackQuestion {
        match self {
            Self::Question(question) => question,
            Self::Form(form) => form.question(),
        }
    }

    fn check(&self, response: &RawJson) -> Result<(), String> {
        match self {
            Self::Question(question) => question.check(response),
            Self::Form(form) => form.answer(response).map(drop),
        }
    }
}

/// The reason a question no longer waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallbackEnd {
    Answered,
    TimedOut,
    Cancelled,
}

impl CallbackEnd {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "already_answered",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The error returned when a question gets no answer.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CallbackError {
    /// Too many questions of the session wait for an answer.
    #[error("{limit} callbacks of the session wait for an answer, which is the limit")]
    TooMany {
        /// The most questions that may wait.
        limit: usize,
    },
    /// Nobody answered in time.
    #[error("nobody answered the callback within {0:?}")]
    TimedOut(Duration),
    /// The other side reports that it asked nobody.
    #[error("the callback was refused: {0}")]
    Refused(ErrorObject),
    /// The response does not answer the form.
    #[error("{0}")]
    Unreadable(String),
    /// The question could not be sent.
    #[error("failed to send the callback: {0}")]
    Send(CallError),
}

impl OpenCallbacks {
    /// Returns the open questions of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.of_connection().get_or_insert_with(Self::default)
    }

    /// Asks a question through a peer of the session, under a new id, and waits for the response. Dropping the future withdraws the question.
    /// With [`Duration::MAX`] there is no time limit.
    ///
    /// # Errors
    /// [`CallbackError`].
    pub async fn ask(
        &self,
        peer: &Peer,
        request_id: Option<RequestId>,
        question: CallbackQuestion,
        timeout: Duration,
    ) -> Result<RawJson, CallbackError> {
        self.send(peer, request_id, QuestionCheck::Question(question), timeout).await
    }

    /// Asks a form, as [`ask`](Self::ask) does. A response that does not fit the form's field leaves the form open.
    ///
    /// # Errors
    /// [`CallbackError`].
    pub async fn ask_form(
        &self,
        peer: &Peer,
        request_id: Option<RequestId>,
        form: CallbackForm,
        timeout: Duration,
    ) -> Result<ElicitResult, CallbackError> {
        let response = self.send(peer, request_id, QuestionCheck::Form(form.clone()), timeout).await?;
        form.answer(&response).map_err(CallbackError::Unreadable)
    }

    async fn send(
        &self,
        peer: &Peer,
        request_id: Option<RequestId>,
        asked: QuestionCheck,
        timeout: Duration,
    ) -> Result<RawJson, CallbackError> {
        let mut params = params(asked.question(), request_id);
        params.timeout_ms = u64::try_from(timeout.as_millis()).ok();
        let (mut guard, answered) = self.open(asked)?;
        params.callback_id = guard.id.to_string();
        let answer = tokio::time::timeout(timeout, async {
            peer.notice::<CallbackRequest>(&params).await.map_err(CallbackError::Send)?;
            Ok(answered.await)
        });
        match answer.await {
            Ok(Ok(Ok(Ok(response)))) => Ok(response),
            Ok(Ok(Ok(Err(refusal)))) => Err(CallbackError::Refused(refusal)),
            Ok(Err(error)) => Err(error),
            // The sender is dropped only with the guard.
            Ok(Ok(Err(_))) | Err(_) => {
                guard.end = CallbackEnd::TimedOut;
                Err(CallbackError::TimedOut(timeout))
            }
        }
    }

    /// Sends a message that expects no answer.
    ///
    /// # Errors
    /// [`CallError`] if the message could not be sent.
    pub async fn inform(
        &self,
        peer: &Peer,
        request_id: Option<RequestId>,
        message: impl Into<String>,
    ) -> Result<(), CallError> {
        let question =
            CallbackQuestion { kind: CallbackType::Notification, message: message.into(), options: None };
        let mut params = params(&question, request_id);
        params.callback_id = self.mint().into();
        peer.notice::<CallbackRequest>(&params).await
    }

    /// Returns the method of the lane that answers questions, `mgp/callback/respond`.
    #[must_use]
    pub fn routes() -> Routes {
        Routes::new().route(RespondCallback, Role::Anyone, respond)
    }

    /// Takes a response. It is accepted once, while its question waits. A response that does not answer the question leaves it open.
    #[must_use]
    pub fn respond(
        &self,
        CallbackRespondParams { callback_id, response }: CallbackRespondParams,
    ) -> CallbackRespondResult {
        let mut state = self.0.lock();
        let Some(open) = state.open.get(callback_id.as_str()) else {
            let ended = state.ended.iter().rev().find(|(id, _)| **id == *callback_id);
            return refused(ended.map_or("unknown_callback", |(_, end)| end.as_str()));
        };
        let answer = match CallbackQuestion::refusal(&response) {
            Some(refusal) => Err(refusal),
            None => match open.asked.check(&response) {
                Ok(()) => Ok(response.detached()),
                Err(problem) => return refused(format!("{INVALID_RESPONSE}: {problem}")),
            },
        };
        let Some(open) = state.end(&callback_id, CallbackEnd::Answered) else {
            return refused("unknown_callback");
        };
        match open.answer.send(answer) {
            Ok(()) => CallbackRespondResult { accepted: true, reason: None },
            Err(_) => refused(CallbackEnd::Cancelled.as_str()),
        }
    }

    fn mint(&self) -> Box<str> {
        let mut state = self.0.lock();
        state.minted += 1;
        format!("cb-{}", state.minted).into()
    }

    fn open(
        &self,
        asked: QuestionCheck,
    ) -> Result<(OpenGuard, oneshot::Receiver<Result<RawJson, ErrorObject>>), CallbackError> {
        let id = self.mint();
        let (answer, answered) = oneshot::channel();
        let mut state = self.0.lock();
        if state.open.len() >= MAX_OPEN {
            return Err(CallbackError::TooMany { limit: MAX_OPEN });
        }
        state.open.insert(id.clone(), OpenCallback { asked, answer });
        Ok((OpenGuard { callbacks: self.clone(), id, end: CallbackEnd::Cancelled }, answered))
    }
}

impl State {
    fn end(&mut self, id: &str, end: CallbackEnd) -> Option<OpenCallback> {
        let (id, open) = self.open.remove_entry(id)?;
        if self.ended.len() >= MAX_ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back((id, end));
        Some(open)
    }
}

/// A question that waits for an answer, until this value is dropped.
#[derive(Debug)]
struct OpenGuard {
    callbacks: OpenCallbacks,
    id: Box<str>,
    end: CallbackEnd,
}

impl Drop for OpenGuard {
    fn drop(&mut self) {
        self.callbacks.0.lock().end(&self.id, self.end);
    }
}

async fn respond((): (), incoming: Incoming) -> Result<Reply, RouteError> {
    let params = incoming.params.decode::<CallbackRespondParams>()?;
    let open = incoming.session().and_then(|session| session.of_connection().get::<OpenCallbacks>());
    Ok(Reply::from_value(&open.unwrap_or_default().respond(params)))
}

fn params(question: &CallbackQuestion, request_id: Option<RequestId>) -> CallbackRequestParams {
    CallbackRequestParams {
        callback_id: String::new(),
        request_id,
        kind: question.kind,
        message: question.message.clone(),
        options: question.options.clone(),
        timeout_ms: None,
    }
}

fn refused(reason: impl Into<String>) -> CallbackRespondResult {
    CallbackRespondResult { accepted: false, reason: Some(reason.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(kind: CallbackType) -> QuestionCheck {
        QuestionCheck::Question(CallbackQuestion { kind, message: "?".into(), options: None })
    }

    fn answer(open: &OpenCallbacks, id: &str, response: &str) -> (bool, Option<String>) {
        let response = RawJson::parse(response.to_owned()).unwrap();
        let taken = open.respond(CallbackRespondParams { callback_id: id.into(), response });
        (taken.accepted, taken.reason)
    }

    fn refusal(reason: &str) -> (bool, Option<String>) {
        (false, Some(reason.into()))
    }

    #[test]
    fn an_answer_is_accepted_once_and_only_for_an_open_question() {
        let open = OpenCallbacks::default();
        let (_guard, mut answered) = open.open(question(CallbackType::Confirmation)).unwrap();
        assert_eq!(answer(&open, "cb-2", r#""confirm""#), refusal("unknown_callback"));
        assert_eq!(answer(&open, "cb-1", r#""confirm""#), (true, None));
        assert_eq!(answer(&open, "cb-1", r#""decline""#), refusal("already_answered"));
        assert_eq!(answered.try_recv().unwrap().unwrap().as_str(), r#""confirm""#);
    }

    #[test]
    fn an_answer_of_the_wrong_kind_leaves_the_question_open() {
        let open = OpenCallbacks::default();
        let (_guard, mut answered) = open.open(question(CallbackType::Confirmation)).unwrap();
        let (accepted, reason) = answer(&open, "cb-1", "7");
        assert!(!accepted && reason.unwrap().starts_with("invalid_response: expected a boolean"));
        assert!(answered.try_recv().is_err());
        assert_eq!(answer(&open, "cb-1", "true"), (true, None));
    }

    #[test]
    fn an_error_in_the_answer_ends_the_question() {
        let open = OpenCallbacks::default();
        let (_guard, mut answered) = open.open(question(CallbackType::Input)).unwrap();
        assert_eq!(answer(&open, "cb-1", r#"{"error":{"code":-32601,"message":"nobody"}}"#), (true, None));
        assert_eq!(answered.try_recv().unwrap().unwrap_err().message, "nobody");
    }

    #[test]
    fn a_withdrawn_or_late_answer_is_refused_and_frees_its_slot() {
        let open = OpenCallbacks::default();
        drop(open.open(question(CallbackType::Input)).unwrap());
        assert_eq!(answer(&open, "cb-1", r#""a""#), refusal("cancelled"));
        let (mut guard, _answered) = open.open(question(CallbackType::Input)).unwrap();
        guard.end = CallbackEnd::TimedOut;
        drop(guard);
        assert_eq!(answer(&open, "cb-2", r#""a""#), refusal("timed_out"));
        let held: Vec<_> = (0..MAX_OPEN).map(|_| open.open(question(CallbackType::Input)).unwrap()).collect();
        let error = open.open(question(CallbackType::Input)).unwrap_err();
        assert!(error.to_string().contains("64 callbacks"), "{error}");
        drop(held);
        assert!(open.open(question(CallbackType::Input)).is_ok());
    }

    #[test]
    fn only_the_latest_ends_are_remembered() {
        let open = OpenCallbacks::default();
        (0..=MAX_ENDED).for_each(|_| drop(open.open(question(CallbackType::Input)).unwrap()));
        assert_eq!(answer(&open, "cb-1", r#""a""#), refusal("unknown_callback"));
        assert_eq!(answer(&open, "cb-2", r#""a""#), refusal("cancelled"));
        assert_eq!(open.0.lock().ended.len(), MAX_ENDED);
    }
}

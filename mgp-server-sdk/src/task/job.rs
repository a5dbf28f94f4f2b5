//! A task that runs in this process.

use super::{
    StoredTask, TaskState,
    questions::{Answer, Questions, TooMany},
};
use crate::asking::AskError;
use jiff::Timestamp;
use mgp_transport::seam::{CallError, CancelCause, CancelToken};
use mgp_types::{
    json::RawObject,
    mcp::InputRequest,
    rpc::{Call as RpcCall, ErrorObject},
};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::watch;

/// A task that runs in this process. Its state changes here first, and then in the store.
#[derive(Debug)]
pub(super) struct Job {
    id: Arc<str>,
    inner: Mutex<Inner>,
    /// Signals each change.
    changed: watch::Sender<()>,
    /// Stops the work.
    stop: CancelToken,
    /// The most bytes that the answers to all of the task's questions may have.
    answer_bytes: usize,
}

#[derive(Debug)]
struct Inner {
    task: StoredTask,
    questions: Questions,
}

impl Job {
    /// Creates a job. `stop` is the handler's cancel token.
    pub(super) fn new(task: StoredTask, stop: CancelToken, answer_bytes: usize) -> Self {
        Self {
            id: task.id.as_str().into(),
            inner: Mutex::new(Inner { task, questions: Questions::default() }),
            changed: watch::Sender::new(()),
            stop,
            answer_bytes,
        }
    }

    pub(super) fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// Returns the current state of the task.
    pub(super) fn task(&self) -> StoredTask {
        self.inner.lock().task.clone()
    }

    /// Returns a receiver that is notified of each change from now on.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Returns the token that stops the work.
    pub(super) fn stop(&self) -> &CancelToken {
        &self.stop
    }

    /// Sets the message about the progress of the work.
    pub(super) fn say(&self, message: &str) {
        self.change(|inner| inner.task.message = Some(message.to_owned()));
    }

    /// Ends the task, unless it has ended. Returns whether this call ended it.
    pub(super) fn end(&self, state: TaskState, message: Option<&str>) -> bool {
        self.change(|inner| {
            inner.task.state = state;
            if let Some(message) = message {
                inner.task.message = Some(message.to_owned());
            }
        })
    }

    /// Cancels the task, unless it has ended. Returns whether this call cancelled it.
    pub(super) fn cancel(&self, why: &str) -> bool {
        let cancelled = self.end(TaskState::Cancelled, Some(why));
        if cancelled {
            self.stop.cancel(CancelCause::Method);
        }
        cancelled
    }

    /// Sends a question to the task's client, and waits for the answer.
    pub(super) async fn ask<C: RpcCall>(&self, key: &str, params: &C::Params) -> Result<C::Result, AskError> {
        let request =
            InputRequest::new::<C>(params).map_err(|error| AskError::Call(CallError::Params(error)))?;
        let mut changes = self.changes();
        let mut asked = Ok(());
        self.change(|inner| asked = inner.questions.ask::<C>(key, request));
        asked.map_err(|TooMany { limit }| AskError::TooMany { limit })?;
        let _asking = AnswerWaiter { job: self, key };
        loop {
            let answer = self.inner.lock().questions.answer(key).cloned();
            if let Some(answer) = answer {
                let json = answer.map_err(AskError::Call)?;
                return json
                    .decode()
                    .map_err(|error| AskError::Call(CallError::Result { method: C::METHOD, error }));
            }
            // `self` owns the sender.
            let _ = changes.changed().await;
        }
    }

    /// Stores the answers of the task's client: all of them, or none.
    pub(super) fn answer(&self, answers: &RawObject) -> Result<(), ErrorObject> {
        let mut taken = Ok(());
        self.change(|inner| taken = inner.questions.take(answers, self.answer_bytes));
        taken
    }

    /// Returns a question that is to be sent to the task's client.
    pub(super) fn send(&self) -> Option<(String, InputRequest)> {
        self.inner.lock().questions.send()
    }

    /// Marks a question as unsent, if it did not reach the task's client.
    pub(super) fn unsend(&self, key: &str) {
        self.change(|inner| inner.questions.unsend(key));
    }

    /// Stores the client's answer to a question that was sent.
    pub(super) fn answered(&self, key: &str, answer: Answer) {
        self.change(|inner| inner.questions.answered(key, answer, self.answer_bytes));
    }

    /// Changes the task, unless it has ended. Returns whether the task was changed.
    fn change(&self, change: impl FnOnce(&mut Inner)) -> bool {
        {
            let mut inner = self.inner.lock();
            if inner.task.state.has_ended() {
                return false;
            }
            change(&mut inner);
            if !inner.task.state.has_ended() {
                inner.task.state = inner.questions.outstanding().map_or(TaskState::Working, TaskState::Asks);
            }
            inner.task.updated = Timestamp::now();
        }
        self.changed.send_replace(());
        true
    }
}

/// A waiter for an answer. Dropping it withdraws the question.
struct AnswerWaiter<'a> {
    job: &'a Job,
    key: &'a str,
}

impl Drop for AnswerWaiter<'_> {
    fn drop(&mut self) {
        self.job.change(|inner| inner.questions.forget(self.key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::TaskOwner;
    use futures_util::FutureExt;
    use mgp_types::{json::RawJson, mcp::ListRoots, rpc::Empty};
    use std::time::Duration;

    fn job() -> Job {
        let task = StoredTask {
            id: "t".into(),
            owner: TaskOwner { principal: None, session: "s".into() },
            tool: "tool".into(),
            state: TaskState::Working,
            message: None,
            created: Timestamp::UNIX_EPOCH,
            updated: Timestamp::UNIX_EPOCH,
            ttl: Duration::from_secs(1),
            poll_interval: Duration::ZERO,
        };
        Job::new(task, CancelToken::new(), 99)
    }

    #[test]
    fn a_task_ends_once_and_stays_unchanged() {
        let job = job();
        assert!(job.cancel("no longer wanted") && job.stop().is_cancelled());
        let answered = TaskState::Answered { result: RawJson::empty_object(), failed: false };
        assert!(!job.end(answered, Some("done")) && !job.cancel("again"));
        job.say("still here");
        job.answer(&RawObject::new()).unwrap();
        let task = job.task();
        assert_eq!((task.state, task.message.as_deref()), (TaskState::Cancelled, Some("no longer wanted")));
    }

    #[test]
    fn a_task_s_question_lasts_as_long_as_its_waiter() {
        let job = job();
        let params = Empty::default();
        let mut asking = Box::pin(job.ask::<ListRoots>("where", &params));
        assert!(asking.as_mut().now_or_never().is_none());
        assert!(matches!(job.task().state, TaskState::Asks(_)));
        drop(asking);
        assert_eq!(job.task().state, TaskState::Working);
    }
}

//! Answers the questions of a task, each once, by the client's own handlers.

use super::{Task, TaskError, request::request};
use futures_util::future::try_join_all;
use mgp_transport::seam::CallError;
use mgp_types::{
    json::RawObject,
    mcp::{
        InputRequest,
        tasks::{
            GetTask,
            extension::{UpdateTask, UpdateTaskParams},
        },
    },
    rpc::Call,
};
use std::collections::HashSet;

/// Answers the questions that were not answered before, and sends the answers to the task.
pub(super) async fn answer(task: &Task, asked: &RawObject) -> Result<(), TaskError> {
    let mut answering = AnswerGuard { task, keys: Vec::new() };
    let mut questions = Vec::new();
    for (key, question) in asked.iter() {
        if answering.take(key)? {
            let question = InputRequest::read(question);
            let question = question.map_err(|error| CallError::Result { method: GetTask::METHOD, error })?;
            questions.push(async move { Ok::<_, CallError>((key, task.caller().ask(key, question).await?)) });
        }
    }
    if questions.is_empty() {
        return Ok(());
    }
    let mut answers = RawObject::new();
    for (key, answer) in try_join_all(questions).await? {
        answers.insert_named(key, answer);
    }
    request::<UpdateTask>(task.caller(), &UpdateTaskParams::new(task.id(), answers)).await?;
    answering.keys.clear();
    Ok(())
}

/// The keys of the questions of a task that are answered, or are being answered.
#[derive(Debug, Default)]
pub(super) struct AnsweredKeys(HashSet<String>);

impl AnsweredKeys {
    /// Marks a question. Returns `true` if it was not marked before, and `None` if there are too many questions.
    fn mark(&mut self, key: &str, most: usize) -> Option<bool> {
        if self.0.contains(key) {
            return Some(false);
        }
        (self.0.len() < most).then(|| self.0.insert(key.to_owned()))
    }
}

/// The questions that are being answered. Dropping it releases the questions whose answers did not reach the server, so that they
/// may be answered later.
struct AnswerGuard<'a> {
    task: &'a Task,
    keys: Vec<String>,
}

impl AnswerGuard<'_> {
    /// Takes a question, unless it was taken before. Returns whether it is to be answered here.
    fn take(&mut self, key: &str) -> Result<bool, CallError> {
        let limits = &self.task.caller().limits;
        let most = limits.questions;
        let too_many = |problem: String| CallError::Unreadable(format!("{}: {problem}", GetTask::METHOD));
        match self.task.0.state.lock().answered.mark(key, limits.task_questions) {
            Some(false) => return Ok(false),
            Some(true) => self.keys.push(key.to_owned()),
            None => {
                let most = limits.task_questions;
                return Err(too_many(format!("the task asked more than {most} questions")));
            }
        }
        if self.keys.len() > most {
            return Err(too_many(format!("expected at most {most} questions at once")));
        }
        Ok(true)
    }
}

impl Drop for AnswerGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.task.0.state.lock();
        for key in &self.keys {
            state.answered.0.remove(key);
        }
    }
}

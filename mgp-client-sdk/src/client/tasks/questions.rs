//! Answers the questions of a task, each once, with the client's own handlers.

use super::{Task, TaskError, request::request};
use crate::session::QuestionGuard;
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

/// Answers the questions that were not answered before, and sends the answers to the task.
pub(super) async fn answer(task: &Task, asked: &RawObject) -> Result<(), TaskError> {
    let limits = &task.caller().limits;
    let too_many = |problem: String| CallError::Unreadable(format!("{}: {problem}", GetTask::METHOD));
    let (mut taken, mut questions) = (Vec::new(), Vec::new());
    for (key, question) in asked.iter() {
        let most = limits.task_questions;
        let guard = task.0.answered.take(key, most);
        let guard = guard.map_err(|_| too_many(format!("the task asked more than {most} questions")))?;
        let Some(guard) = guard else { continue };
        taken.push(guard);
        if taken.len() > limits.questions {
            let most = limits.questions;
            return Err(too_many(format!("expected at most {most} questions at once")).into());
        }
        let question = InputRequest::read(question);
        let question = question.map_err(|error| CallError::Result { method: GetTask::METHOD, error })?;
        questions.push(async move { Ok::<_, CallError>((key, task.caller().ask(key, question).await?)) });
    }
    if questions.is_empty() {
        return Ok(());
    }
    let mut answers = RawObject::new();
    for (key, answer) in try_join_all(questions).await? {
        answers.insert_named(key, answer);
    }
    request::<UpdateTask>(task.caller(), &UpdateTaskParams::new(task.id(), answers)).await?;
    taken.into_iter().for_each(QuestionGuard::answered);
    Ok(())
}

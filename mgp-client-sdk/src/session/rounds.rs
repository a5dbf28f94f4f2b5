//! Rounds of input: a server of a stateless revision answers a request with questions, and gets the request again with the answers.

use super::ServerSession;
use futures_util::future::try_join_all;
use mgp_transport::seam::CallError;
use mgp_types::{
    json::RawObject,
    mcp::{InputRequest, InputRequired, InputResponses, ResultType, asks_for_input},
    rpc::RawResult,
};

/// The kinds of answer that a request accepts, once the server has no more questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerKinds {
    /// The result.
    Result,
    /// The result, or a task that will have it.
    ResultOrTask,
}

/// The limits of the input that one request may ask for.
#[derive(Debug, Clone, Copy)]
pub struct RoundLimits {
    /// The maximum number of rounds of a request.
    pub rounds: usize,
    /// The maximum number of questions of a round.
    pub questions: usize,
}

/// The sender of a request: it sends the rounds, and answers the questions in between.
pub trait Rounds: Send + Sync {
    /// Sends the request of one round, and returns its result; `None` if the request has to be sent once more, without
    /// answers.
    fn send(
        &mut self,
        params: RawObject,
    ) -> impl Future<Output = Result<Option<RawResult>, CallError>> + Send;

    /// Answers one question, which the server asks under a key.
    fn ask(
        &self,
        key: &str,
        question: InputRequest,
    ) -> impl Future<Output = Result<RawResult, CallError>> + Send;
}

/// The answer to a request, after all its rounds.
#[derive(Debug)]
pub struct Answer {
    pub result: RawResult,
    /// The result as an object, which is only parsed for a server of a stateless revision.
    pub object: Option<RawObject>,
    /// True if the server asked no questions before.
    pub at_once: bool,
}

/// Sends a request, round after round, until the server answers it with a kind that `takes` accepts.
///
/// # Errors
/// The error of a round or a question; [`CallError::Unreadable`] if the server asks too much, or answers in a form that was not requested.
pub async fn run_rounds(
    session: &ServerSession,
    method: &str,
    params: RawObject,
    (takes, limits): (AnswerKinds, RoundLimits),
    rounds: &mut impl Rounds,
) -> Result<Answer, CallError> {
    let problem = |problem: String| CallError::Unreadable(format!("{method}: {problem}"));
    let mut brought = InputResponses::default();
    for _ in 0..limits.rounds {
        let (mut asked, at_once) = (params.clone(), brought.is_empty());
        // In other methods these members belong to the request itself.
        if asks_for_input(method) {
            std::mem::take(&mut brought).write(&mut asked);
        }
        let Some(result) = rounds.send(asked).await? else { continue };
        if !session.is_stateless() {
            return Ok(Answer { result, object: None, at_once });
        }
        let unreadable = |error| problem(format!("the server's answer cannot be read: {error}"));
        let object = RawObject::from_json(&result).map_err(unreadable)?;
        let kind = ResultType::said_by(&object);
        if kind == ResultType::Complete || kind == ResultType::Task && takes == AnswerKinds::ResultOrTask {
            return Ok(Answer { result, object: Some(object), at_once });
        }
        if kind != ResultType::InputRequired || !asks_for_input(method) {
            let kind = kind.as_str();
            return Err(problem(format!(
                "the server answered with a result of the kind {kind:?}, which was not asked for"
            )));
        }
        let required = InputRequired::read(&result).map_err(unreadable)?;
        let (count, most) = (required.requests.len(), limits.questions);
        if count > most {
            return Err(problem(format!("a round of {count} questions, expected at most {most}")));
        }
        // Boxed, because few requests have questions, and the others stay small.
        let answers = Box::pin(ask_all(rounds, required.requests)).await?;
        brought = InputResponses { answers, state: required.state };
    }
    Err(problem(format!("the server asked for input more than {} times", limits.rounds)))
}

/// Asks all questions concurrently, and returns the answers by key.
///
/// # Errors
/// The error of the first question without an answer.
pub async fn ask_all(
    rounds: &impl Rounds,
    asked: Vec<(String, InputRequest)>,
) -> Result<RawObject, CallError> {
    let answering = asked.into_iter().map(|(key, question)| async move {
        let answer = rounds.ask(&key, question).await?;
        Ok::<_, CallError>((key, answer))
    });
    let mut answers = RawObject::new();
    for (key, answer) in try_join_all(answering).await? {
        answers.insert_named(&key, answer);
    }
    Ok(answers)
}

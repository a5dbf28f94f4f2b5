//! Rounds of input: a server of a stateless revision answers a request with questions, and gets the request again with the answers.

use super::caller::{Caller, OnProgress};
use futures_util::future::try_join_all;
use mgp_transport::seam::{CallError, Incoming};
use mgp_types::{
    json::RawObject,
    mcp::stateless::{InputRequest, InputRequired, InputResponses, ResultType, asks_for_input},
    rpc::{ErrorObject, RawResult, RequestId},
};
use tower::ServiceExt;

/// The kinds of answer that a request accepts, once the server has no more questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// The result.
    Result,
    /// The result, or a task that will have it.
    ResultOrTask,
}

impl Caller {
    /// Sends a request, round after round, until the server answers it. The questions of each round go to the client's own service,
    /// like the requests of a server of the era of `initialize`.
    pub(super) async fn call(
        &self,
        method: &'static str,
        params: RawObject,
        on_progress: Option<OnProgress<'_>>,
    ) -> Result<RawResult, CallError> {
        self.call_for(Takes::Result, method, params, on_progress).await
    }

    /// Sends a request, round after round, until the server answers it with a kind that `takes` accepts.
    pub(super) async fn call_for(
        &self,
        takes: Takes,
        method: &'static str,
        params: RawObject,
        mut on_progress: Option<OnProgress<'_>>,
    ) -> Result<RawResult, CallError> {
        if let Some(kept) = self.cache.get(method, &params) {
            return Ok(kept);
        }
        let mut brought = InputResponses::default();
        for _ in 0..self.limits.rounds {
            let (mut asked, first) = (params.clone(), brought.is_empty());
            // In other methods these members belong to the request itself.
            if asks_for_input(method) {
                brought.write(&mut asked);
            }
            let result = self.once(method, asked, &mut on_progress).await?;
            if self.peer.envelope().is_none() {
                return Ok(result);
            }
            match ResultType::of(&result) {
                ResultType::Complete => {
                    // A result that depends on answers is not cached.
                    if first {
                        self.cache.keep(method, &params, &result);
                    }
                    return Ok(result);
                }
                ResultType::Task if takes == Takes::ResultOrTask => return Ok(result),
                ResultType::InputRequired if asks_for_input(method) => {
                    let required =
                        InputRequired::read(&result).map_err(|error| CallError::Result { method, error })?;
                    brought = self.answer(required).await?;
                }
                kind => {
                    let found = kind.as_str();
                    return Err(CallError::Unreadable(format!("{method}: unexpected resultType {found:?}")));
                }
            }
        }
        let most = self.limits.rounds;
        Err(CallError::Unreadable(format!("{method}: the server asked for input more than {most} times")))
    }

    /// Asks the service every question of a round.
    async fn answer(&self, required: InputRequired) -> Result<InputResponses, CallError> {
        let (count, most) = (required.requests.len(), self.limits.questions);
        if count > most {
            let problem = format!("a round of {count} questions, expected at most {most}");
            return Err(CallError::Unreadable(problem));
        }
        let asked = required.requests.into_iter().map(|(key, request)| self.ask(key, request));
        let mut answers = RawObject::new();
        for (key, result) in try_join_all(asked).await? {
            answers.insert_named(&key, result);
        }
        Ok(InputResponses { answers, state: required.state })
    }

    /// Asks the service one question.
    pub(super) async fn ask(
        &self,
        key: String,
        request: InputRequest,
    ) -> Result<(String, RawResult), CallError> {
        let InputRequest { method, params } = request;
        let mut question = Incoming::request(RequestId::from(key.as_str()), method.clone(), params);
        question.ext.insert(self.context());
        let outcome = match self.service.clone().oneshot(question).await {
            Ok(reply) => reply.into_outcome(),
            Err(error) => Some(Err(ErrorObject::internal(error.to_string()))),
        };
        match outcome.unwrap_or_else(|| Err(ErrorObject::method_not_found(&method))) {
            Ok(result) => Ok((key, result)),
            Err(error) => Err(CallError::Input { method, error }),
        }
    }
}

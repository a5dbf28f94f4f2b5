//! Rounds of input: a server of a stateless revision answers with what it must know first, and is asked again with the answers.

use super::caller::{Caller, OnProgress};
use futures_util::future::try_join_all;
use mgp_transport::seam::{CallError, Incoming};
use mgp_types::{
    json::RawObject,
    mcp::stateless::{InputRequest, InputRequired, InputResponses, ResultType, asks_for_input},
    rpc::{ErrorObject, RawResult, RequestId},
};
use tower::ServiceExt;

/// What a request may be answered with, once the server asks nothing more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// Its result.
    Result,
    /// Its result, or a task that comes to it.
    ResultOrTask,
}

impl Caller {
    /// Sends a request until the server answers it. What it must know in between is asked of the client's own service, as the
    /// requests of an earlier server would be.
    pub(super) async fn call(
        &self,
        method: &'static str,
        params: RawObject,
        on_progress: Option<OnProgress<'_>>,
    ) -> Result<RawResult, CallError> {
        self.call_for(Takes::Result, method, params, on_progress).await
    }

    /// Sends a request until the server answers it with what is taken.
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
            // Elsewhere these members are the request's own.
            if asks_for_input(method) {
                brought.write(&mut asked);
            }
            let result = self.once(method, asked, &mut on_progress).await?;
            if self.peer.envelope().is_none() {
                return Ok(result);
            }
            match ResultType::of(&result) {
                ResultType::Complete => {
                    // What answers were brought for is theirs alone.
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

    /// Has the service answer every question.
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

    /// Has the service answer one question.
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

//! Sends the client's requests in rounds of input, whose questions go to the client's own handlers.

use super::caller::{Caller, OnEvent};
use crate::session::{AnswerKinds, Rounds, run_rounds};
use mgp_transport::seam::{CallError, Incoming};
use mgp_types::{
    json::RawObject,
    mcp::InputRequest,
    rpc::{ErrorObject, RawResult, RequestId},
};
use parking_lot::Mutex;
use tower::ServiceExt;

/// The rounds of one request of the client.
struct ClientRounds<'a, 'p> {
    caller: &'a Caller,
    method: &'static str,
    /// Never locked: questions are answered beside the callback, which need not be `Sync`.
    on_event: Mutex<Option<OnEvent<'p>>>,
}

impl Rounds for ClientRounds<'_, '_> {
    async fn send(&mut self, params: RawObject) -> Result<Option<RawResult>, CallError> {
        let on_event = self.on_event.get_mut();
        self.caller.once(self.method, params, on_event).await.map(Some)
    }

    async fn ask(&self, key: &str, question: InputRequest) -> Result<RawResult, CallError> {
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
        let mut rounds = ClientRounds { caller: self, method, on_event: Mutex::new(on_event) };
        let settings = (takes, self.limits.rounds());
        let answer = run_rounds(&self.session, method, params.clone(), settings, &mut rounds).await?;
        // Only a server of a stateless revision allows caching. A result that depends on answers is not cached.
        if answer.at_once && answer.object.is_some() {
            self.cache.keep(method, &params, &answer.result);
        }
        Ok(answer.result)
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

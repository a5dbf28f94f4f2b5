//! The questions and answers of one request of a stateless revision.

use super::AskError;
use crate::{Call, ToolError, era, seal::Seal};
use futures_util::task::AtomicWaker;
use mgp_transport::seam::{CallError, Incoming};
use mgp_types::{
    json::RawObject,
    mcp::{InputRequest, InputRequired, InputResponses},
    rpc::Call as RpcCall,
};
use parking_lot::Mutex;
use std::{future::pending, sync::Arc, task::Waker};

/// The most questions that one round may hold.
pub(crate) const MOST: usize = 32;

/// The outcome of one run of a handler.
pub(crate) enum RunOutcome<T> {
    /// The handler's answer.
    Done(T),
    /// The questions that must be answered first.
    Asks(InputRequired),
}

/// The questions and answers of one request of a stateless revision. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Rounds(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// The client's answers, from this round and the earlier ones.
    answers: RawObject,
    state: Mutex<State>,
    /// The waker of the handler's future, woken when the handler asks a question.
    waker: AtomicWaker,
}

#[derive(Debug, Default)]
struct State {
    asked: InputRequired,
    /// The answers that the handler has used, which the next round needs again.
    taken: RawObject,
}

impl Rounds {
    /// Returns the rounds of a call, or `None` if the client of the call is asked by requests.
    pub(crate) fn of(call: &Call, seal: &Seal) -> Result<Option<Self>, ToolError> {
        let incoming = call.incoming();
        if incoming.session().is_none_or(era::has_session) {
            return Ok(None);
        }
        let params = incoming.params.object().map_err(ToolError::protocol)?;
        let brought = InputResponses::read(params).map_err(ToolError::protocol)?;
        let mut answers = match &brought.state {
            None => RawObject::new(),
            Some(state) => seal.open(incoming, state).map_err(ToolError::protocol)?,
        };
        for (key, answer) in brought.answers.iter() {
            answers.insert_named(key, answer.clone());
        }
        Ok(Some(Self(Arc::new(Inner { answers, ..Inner::default() }))))
    }

    /// Returns the client's answer, if there is one that can be read. Otherwise the question ends the round, and this future
    /// never resolves.
    pub(crate) async fn ask<C: RpcCall>(&self, key: &str, params: &C::Params) -> Result<C::Result, AskError> {
        if let Some(answer) = self.answered::<C>(key) {
            return Ok(answer);
        }
        let request =
            InputRequest::new::<C>(params).map_err(|error| AskError::Call(CallError::Params(error)))?;
        {
            let mut state = self.0.state.lock();
            if state.asked.requests.len() >= MOST {
                return Err(AskError::TooMany { limit: MOST });
            }
            state.asked.ask(key, request);
        }
        self.0.waker.wake();
        pending().await
    }

    /// Returns the client's answer to a question, if there is one that can be read.
    pub(crate) fn answered<C: RpcCall>(&self, key: &str) -> Option<C::Result> {
        let answer = self.0.answers.get(key)?;
        let decoded = answer.decode().ok()?;
        self.0.state.lock().taken.insert_named(key, answer.clone());
        Some(decoded)
    }

    /// Registers the waker that the next question wakes.
    pub(crate) fn wakes(&self, waker: &Waker) {
        self.0.waker.register(waker);
    }

    /// Returns `true` if the handler has asked a question, which ends the round.
    pub(crate) fn has_asked(&self) -> bool {
        !self.0.state.lock().asked.requests.is_empty()
    }

    /// Takes the answer of the round: the questions, and the sealed answers that the next round needs again.
    pub(crate) fn take(&self, call: &Incoming, seal: &Seal) -> Result<InputRequired, ToolError> {
        let (mut required, taken) = {
            let mut state = self.0.state.lock();
            (std::mem::take(&mut state.asked), std::mem::take(&mut state.taken))
        };
        required.state = Some(seal.close(call, &taken).map_err(ToolError::protocol)?);
        Ok(required)
    }
}

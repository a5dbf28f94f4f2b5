//! The open callbacks of one connection to a server, and the last answers. A repeated callback gets the recorded answer. A callback
//! with the id of another question is rejected.

use super::questions::MOST_AT_ONCE;
use crate::ground::caller::Caller;
use mgp_transport::seam::Session;
use mgp_types::{
    callback::{CallbackRequestParams, CallbackType},
    error::ErrorCode,
    json::RawJson,
    printable::quoted,
    rpc::{ErrorObject, RequestId},
};
use parking_lot::Mutex;
use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

/// The maximum number of answers kept per connection.
const MAX_KEPT: usize = 64;

/// The callbacks of one connection to a server. They end with the connection, because a new one may use their ids for other questions.
#[derive(Debug, Clone, Default)]
pub(super) struct CallbackRecords(Arc<Mutex<Records>>);

#[derive(Debug, Default)]
struct Records {
    open: HashMap<String, RecordedQuestion>,
    /// The last answers, oldest first.
    answered: VecDeque<(String, RecordedQuestion, RawJson)>,
}

/// The question of a callback, with its call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RecordedQuestion {
    /// The call; `None` if the server names none and no call is in flight.
    call: Option<i64>,
    request_id: Option<RequestId>,
    kind: CallbackType,
    message: String,
    options: Option<Vec<String>>,
}

impl RecordedQuestion {
    pub(super) fn new(asked: &CallbackRequestParams, call: Option<i64>) -> Self {
        Self {
            call,
            request_id: asked.request_id.clone(),
            kind: asked.kind,
            message: asked.message.clone(),
            options: asked.options.clone(),
        }
    }

    /// Returns whether a callback repeats this question. A callback that arrives after the end of the call cannot be attributed to another
    /// one.
    fn is_repeated_by(&self, other: &Self) -> bool {
        let call = other.call.or(self.call);
        *self == Self { call, ..other.clone() }
    }
}

/// The result of looking a callback up.
#[derive(Debug)]
pub(super) enum Entry {
    /// This host has to be asked. The callback is open until the guard is dropped.
    New(Caller, OpenCallback),
    /// A host is already being asked.
    Open,
    /// A host has answered.
    Answered(RawJson),
}

impl CallbackRecords {
    /// Returns the callbacks of a connection.
    pub(super) fn of(session: &Session) -> Self {
        session.of_connection().get_or_insert_with(Self::default)
    }

    /// Looks a callback up, and opens it if it is new.
    ///
    /// # Errors
    /// If the id belongs to another question, there is no host to ask, or too many callbacks are open.
    pub(super) fn enter(
        &self,
        id: &str,
        question: RecordedQuestion,
        caller: Result<Caller, ErrorObject>,
    ) -> Result<Entry, ErrorObject> {
        let mut records = self.0.lock();
        let other = || {
            let problem = "expected an id that no other question of this connection has";
            ErrorObject::invalid_params(format!("invalid callback_id: {problem}, found {}", quoted(id)))
        };
        if let Some(open) = records.open.get(id) {
            return if open.is_repeated_by(&question) { Ok(Entry::Open) } else { Err(other()) };
        }
        if let Some((_, known, response)) = records.answered.iter().find(|(known, ..)| known == id) {
            let is_same = known.is_repeated_by(&question);
            return if is_same { Ok(Entry::Answered(response.clone())) } else { Err(other()) };
        }
        let caller = caller?;
        if records.open.len() >= MOST_AT_ONCE {
            let problem =
                format!("too many callbacks at once: at most {MOST_AT_ONCE} of a server wait for hosts");
            return Err(ErrorCode::ResourceExhausted.error(problem));
        }
        records.open.insert(id.to_owned(), question);
        drop(records);
        Ok(Entry::New(caller, OpenCallback { records: self.clone(), id: id.to_owned() }))
    }
}

/// An open callback, until this value is dropped.
#[derive(Debug)]
pub(super) struct OpenCallback {
    records: CallbackRecords,
    id: String,
}

impl OpenCallback {
    /// Records the answer, in case the server repeats the callback.
    pub(super) fn record(&self, response: &RawJson) {
        let mut records = self.records.0.lock();
        let Some(question) = records.open.get(&self.id).cloned() else { return };
        if records.answered.len() >= MAX_KEPT {
            records.answered.pop_front();
        }
        records.answered.push_back((self.id.clone(), question, response.detached()));
    }
}

impl Drop for OpenCallback {
    fn drop(&mut self) {
        self.records.0.lock().open.remove(&self.id);
    }
}

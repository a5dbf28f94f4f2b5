//! The answers of a test client to its server's questions.

use mgp_transport::seam::{Incoming, Reply};
use mgp_types::{
    json::RawJson,
    mcp::Ping,
    rpc::{Call, ErrorObject, RawParams},
};
use parking_lot::Mutex;
use std::{collections::HashMap, fmt, sync::Arc};

type Answer = Arc<dyn Fn(&RawParams) -> Result<RawJson, ErrorObject> + Send + Sync>;

/// The answers to a server's questions, by method.
#[derive(Clone, Default)]
pub(super) struct Questions(Arc<Mutex<HashMap<&'static str, Answer>>>);

impl Questions {
    /// Sets the answer to the questions of a method.
    pub(super) fn set<C: Call>(&self, answer: impl Fn(C::Params) -> C::Result + Send + Sync + 'static) {
        let answer = move |params: &RawParams| {
            let written = RawJson::from_value(&answer(params.decode()?));
            written.map_err(|error| ErrorObject::internal(error.to_string()))
        };
        self.0.lock().insert(C::METHOD, Arc::new(answer));
    }

    /// Answers a question.
    pub(super) fn reply(&self, incoming: &Incoming) -> Reply {
        if incoming.method == *Ping::METHOD {
            return Reply::ok(RawJson::empty_object());
        }
        let answer = self.0.lock().get(&*incoming.method).cloned();
        let answered = match answer {
            Some(answer) => answer(&incoming.params),
            None => Err(ErrorObject::internal(format!(
                "the test has no answer to {}: give the client one with TestClient::answer",
                incoming.method
            ))),
        };
        answered.map_or_else(Reply::error, Reply::ok)
    }
}

impl fmt::Debug for Questions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.lock().keys()).finish()
    }
}

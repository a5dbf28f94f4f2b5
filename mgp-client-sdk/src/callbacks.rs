//! §13.4 The answers to callbacks for which nobody is asked. The server receives them at once, and need not wait for its time
//! limit.

use mgp_stream::callbacks::INVALID_RESPONSE;
use mgp_transport::seam::{LogLimit, Peer};
use mgp_types::{
    callback::{CallbackRespondParams, CallbackRespondResult, CallbackType, RespondCallback},
    json::{RawJson, RawObject},
    negotiation::Negotiation,
    rpc::{ErrorObject, JsonRpcCode, RawParams, RequestId},
};
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;

/// The maximum number of pending answers to one server, which is more than its maximum number of questions. Further callbacks
/// get none.
const MAX_ANSWERS: usize = 64;

/// The time limit for a server to accept an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// The answers to one server's callbacks for which nobody is asked: refusals, and recorded answers. Clones share the same limits.
#[derive(Debug, Clone)]
pub struct CallbackAnswers {
    room: Arc<Semaphore>,
    warnings: Arc<LogLimit>,
}

impl Default for CallbackAnswers {
    fn default() -> Self {
        Self { room: Arc::new(Semaphore::new(MAX_ANSWERS)), warnings: Arc::default() }
    }
}

impl CallbackAnswers {
    /// Logs a callback and, if it needs an answer, sends the server the reason why nobody was asked. Must be called within a Tokio runtime.
    pub fn refuse(&self, server: &Peer, params: &RawParams, reason: &ErrorObject) {
        let asked = params.object().cloned().unwrap_or_else(|_| RawObject::new());
        let (id, kind) = (asked.text("callback_id"), asked.text("type").unwrap_or_default());
        if let Some(left_out) = self.warnings.admit() {
            let session = server.session().id();
            tracing::warn!(session, id, kind, left_out, %reason, "a callback of the server is refused");
        }
        // A plain server gets no MGP messages.
        let hears = server.session().has::<Negotiation>();
        let Some(callback_id) = id.filter(|_| hears && kind != CallbackType::Notification.as_str()) else {
            return;
        };
        self.respond(server, callback_id, error_response(reason));
    }

    /// Sends a response in a separate task, if there is room for it. Must be called within a Tokio runtime.
    pub fn respond(&self, server: &Peer, callback_id: String, response: RawJson) {
        let Ok(place) = self.room.clone().try_acquire_owned() else { return };
        let server = server.unbound();
        tokio::spawn(async move {
            answer(&server, &callback_id, response).await;
            drop(place);
        });
    }
}

/// Sends a response. If the server does not accept it as an answer to its question, an error is sent instead, because the server would
/// wait for another answer.
pub async fn answer(server: &Peer, id: &str, response: RawJson) {
    let reason = respond(server, id, response).await;
    if let Some(reason) = reason.filter(|reason| reason.starts_with(INVALID_RESPONSE)) {
        let problem = format!("the answer does not fit the question: {reason}");
        respond(server, id, error_response(&ErrorObject::internal(problem))).await;
    }
}

/// Sends a response, and returns the server's reason if it does not accept it.
async fn respond(server: &Peer, id: &str, response: RawJson) -> Option<String> {
    let params = CallbackRespondParams { callback_id: id.to_owned(), response };
    let told = tokio::time::timeout(ANSWER_TIMEOUT, server.request::<RespondCallback>(&params)).await;
    let session = server.session().id();
    match told {
        Ok(Ok(CallbackRespondResult { accepted: true, .. })) => {}
        Ok(Ok(CallbackRespondResult { reason, .. })) => {
            tracing::info!(session, id, reason, "the server does not accept the answer to its callback");
            return reason;
        }
        Ok(Err(error)) => {
            tracing::debug!(session, id, %error, "the server did not accept the answer to its callback");
        }
        Err(_) => {
            tracing::debug!(session, id, "the server did not accept the answer to its callback in time");
        }
    }
    None
}

/// Returns the reason of a peer that does not answer callbacks.
pub fn not_supported() -> ErrorObject {
    ErrorObject::new(JsonRpcCode::MethodNotFound, "callbacks are not supported here: nobody was asked")
}

/// Returns the reason for a callback whose call is not in flight.
pub fn no_such_call(request_id: &RequestId) -> ErrorObject {
    let problem = format!("invalid request_id: expected the id of a request in flight, found {request_id}");
    ErrorObject::new(JsonRpcCode::InvalidParams, problem)
}

/// Returns the response to a callback without an answer. It is not a text, so that no server mistakes it for a user's
/// input.
pub fn error_response(error: &ErrorObject) -> RawJson {
    let code = RawJson::from_value(&error.code).unwrap_or_else(|_| RawJson::null());
    let error = RawObject::from_iter([("code", code), ("message", RawJson::string(&error.message))]);
    RawObject::from_iter([("error", error.to_json())]).to_json()
}

//! The service of the demo's host: its user says yes to every question.

use futures_util::future::{Ready, ready};
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{Elicit, ElicitAction, ElicitParams, ElicitResult},
    rpc::{Call, ErrorObject},
};
use parking_lot::Mutex;
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// The user of the demo's host, who says yes to every question. Clones share the same user.
#[derive(Debug, Clone, Default)]
pub(super) struct User {
    asked: Arc<Mutex<Vec<String>>>,
}

impl User {
    /// Takes the questions that the user was asked since the last call.
    pub(super) fn take_questions(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock())
    }

    /// Notes a question that the user was asked.
    pub(super) fn note(&self, question: String) {
        self.asked.lock().push(question);
    }

    fn answer(&self, message: &Incoming) -> Result<Reply, ErrorObject> {
        if message.is_notification() {
            return Ok(Reply::none());
        }
        if message.method != *Elicit::METHOD {
            return Err(ErrorObject::method_not_found(&message.method));
        }
        let question: ElicitParams = message.params.decode()?;
        let text = question.message().to_owned();
        // A permission is granted permanently, and a call is approved once.
        let decision = if text.contains("needs the permission") { "always" } else { "once" };
        self.note(text);
        let form: RawObject = [("decision", RawJson::string(decision))].into_iter().collect();
        Ok(Reply::from_value(&ElicitResult { action: ElicitAction::Accept, content: Some(form), meta: None }))
    }
}

impl Service<Incoming> for User {
    type Response = Reply;
    type Error = BoxError;
    type Future = Ready<Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        ready(Ok(self.answer(&message).unwrap_or_else(Reply::error)))
    }
}

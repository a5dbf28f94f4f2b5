//! Questions that a host is asked, and its answers.

use super::{Host, exchange::Response, message::accepted};
use crate::wire::Connection;
use serde_json::{Value, json};
use std::time::Duration;

/// The time limit for the response to a message that is not a request.
const ACCEPT_TIMEOUT: Duration = Duration::from_secs(10);

impl Response {
    /// Returns the questions that a stateless host must answer before its call continues.
    pub(crate) fn asks(&self) -> Option<&Value> {
        let result = &self.answers.first()?["result"];
        (result["resultType"] == "input_required").then_some(result)
    }
}

/// Puts the answers to a round of questions into the params of the next request.
pub(crate) fn put_answers(params: &mut Value, required: &Value) {
    params["requestState"] = required["requestState"].clone();
    let questions = required["inputRequests"].as_object();
    params["inputResponses"] =
        questions.into_iter().flatten().map(|(key, _)| (key.clone(), accepted())).collect();
}

impl Host {
    /// Answers a question in a stream, separately from the request of the stream.
    pub(super) async fn answer_aside(&self, question: &Value) {
        self.tell(&json!({"jsonrpc": "2.0", "id": question["id"], "result": accepted()})).await;
    }

    /// Sends a message that has no answer, on a new connection.
    pub(super) async fn tell(&self, message: &Value) {
        let session = self.session.as_ref().map(|session| session.id.as_str());
        let request = self.era.post(&self.shared.endpoint, session, message);
        let told = async {
            let mut connection = Connection::open(self.shared.endpoint.address).await?;
            connection.send(&request).await?;
            connection.head().await
        };
        // A lost message shows in the request that waits for it.
        let _ = tokio::time::timeout(ACCEPT_TIMEOUT, told).await;
    }
}

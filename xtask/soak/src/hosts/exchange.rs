//! One request and all messages in response to it.

use super::Host;
use crate::wire::{Connection, Events};
use serde_json::Value;
use std::{io, time::Duration};

/// The time after which an answer counts as lost: far beyond every limit of the kernel.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(180);

/// The response to a request.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// The answers with the request's id; there should be one. Empty for a refusal without a message.
    pub(crate) answers: Vec<Value>,
    pub(super) session: Option<String>,
    /// The length of the body, in bytes.
    pub(super) length: usize,
}

impl Host {
    /// Sends a request and reads its whole answer, to the end of the stream.
    ///
    /// # Errors
    /// The reason why no answer came.
    pub(crate) async fn exchange(
        &mut self,
        message: &Value,
        id: i64,
        kind: &'static str,
    ) -> Result<Response, String> {
        let Ok(read) =
            tokio::time::timeout(ANSWER_TIMEOUT, self.exchange_without_limit(message, id, kind)).await
        else {
            self.connection = None;
            return Err(format!("no answer within {ANSWER_TIMEOUT:?}"));
        };
        let heard = read.map_err(|error| {
            self.connection = None;
            format!("the connection broke: {error}")
        })?;
        if heard.status == 404 {
            self.session = None;
        }
        if heard.answers.is_empty() && heard.status < 400 {
            return Err(format!("HTTP {} without an answer", heard.status));
        }
        Ok(heard)
    }

    async fn exchange_without_limit(
        &mut self,
        message: &Value,
        id: i64,
        kind: &'static str,
    ) -> io::Result<Response> {
        let session = self.session.as_ref().map(|session| session.id.as_str());
        let request = self.era.post(&self.shared.endpoint, session, message);
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(self.shared.endpoint.address).await?,
        };
        connection.send(&request).await?;
        let (head, mut body) = connection.head().await?;
        let mut heard =
            Response { status: head.status, answers: Vec::new(), session: head.session, length: 0 };
        let (mut events, mut whole) = (Events::default(), Vec::new());
        while let Some(piece) = connection.piece(&mut body).await? {
            heard.length += piece.len();
            if !head.is_stream {
                whole.extend(piece);
                continue;
            }
            for data in events.take(&piece) {
                self.take(&data, id, kind, &mut heard).await;
            }
        }
        if !whole.is_empty() {
            self.take(&String::from_utf8_lossy(&whole), id, kind, &mut heard).await;
        }
        if !head.closes {
            self.connection = Some(connection);
        }
        Ok(heard)
    }

    /// Takes one message of an answer.
    async fn take(&self, data: &str, id: i64, kind: &'static str, heard: &mut Response) {
        let Ok(message) = serde_json::from_str::<Value>(data) else { return };
        if message["method"] == "elicitation/create" {
            self.answer_aside(&message).await;
        } else if message.get("method").is_none() {
            // A refusal before the request is read may have no id.
            if message["id"] == id || (heard.status >= 400 && message["id"].is_null()) {
                heard.answers.push(message);
            } else {
                self.shared.ledger.stray(kind);
            }
        }
    }
}

//! The other side of a connection, line by line.

use crate::within;
use serde_json::Value;
use std::fmt;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Lines};

/// One end of a connection that reads and writes messages as lines, and keeps every line that it read.
///
/// Each read has the limit of [`within`].
pub struct RawPeer {
    lines: Lines<BufReader<Box<dyn AsyncRead + Send + Sync + Unpin>>>,
    output: Box<dyn AsyncWrite + Send + Sync + Unpin>,
    /// The lines that were read so far.
    pub read: Vec<String>,
}

impl RawPeer {
    /// Creates a peer from a pair of streams, such as an end of `mgp_transport::memory::pair`.
    pub fn new<R, W>((input, output): (R, W)) -> Self
    where
        R: AsyncRead + Send + Sync + Unpin + 'static,
        W: AsyncWrite + Send + Sync + Unpin + 'static,
    {
        let input: Box<dyn AsyncRead + Send + Sync + Unpin> = Box::new(input);
        Self { lines: BufReader::new(input).lines(), output: Box::new(output), read: Vec::new() }
    }

    /// Writes a message, or any text, as one line.
    ///
    /// # Panics
    /// If the other side has closed the connection, or does not read in time.
    #[track_caller]
    pub fn send(&mut self, message: impl fmt::Display) -> impl Future<Output = ()> {
        let line = format!("{message}\n");
        let sent = within(async move { self.output.write_all(line.as_bytes()).await });
        async { sent.await.unwrap() }
    }

    /// Sends a request whose params are JSON.
    ///
    /// # Panics
    /// If the other side has closed the connection.
    pub async fn request(&mut self, id: i64, method: &str, params: impl fmt::Display) {
        self.send(format_args!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#))
            .await;
    }

    /// Returns the next line as it is; `None` at the end of the connection.
    ///
    /// # Panics
    /// If reading fails, or no line arrives in time.
    #[track_caller]
    pub fn next_text(&mut self) -> impl Future<Output = Option<String>> {
        let next = within(self.lines.next_line());
        let read = &mut self.read;
        async move {
            let line = next.await.unwrap();
            read.extend(line.clone());
            line
        }
    }

    /// Returns the next line as it is.
    ///
    /// # Panics
    /// If the connection has ended, or no line arrives in time.
    #[track_caller]
    pub fn text(&mut self) -> impl Future<Output = String> {
        let next = self.next_text();
        async { next.await.expect("the connection is open") }
    }

    /// Returns the next message.
    ///
    /// # Panics
    /// If the line is not JSON, the connection has ended, or no line arrives in time.
    #[track_caller]
    pub fn message(&mut self) -> impl Future<Output = Value> {
        let next = self.text();
        async {
            let text = next.await;
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
        }
    }

    /// Reads up to a message for which `is` returns true, and returns it.
    ///
    /// # Panics
    /// As [`message`](Self::message).
    pub async fn message_where(&mut self, is: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.message().await;
            if is(&message) {
                return message;
            }
        }
    }

    /// Reads up to the answer to a request, and returns it.
    ///
    /// # Panics
    /// As [`message`](Self::message).
    pub async fn answer_to(&mut self, id: i64) -> Value {
        self.message_where(|message| message["id"] == id && message.get("method").is_none()).await
    }

    /// Sends a request, and reads up to its answer.
    ///
    /// # Panics
    /// As [`message`](Self::message).
    pub async fn ask(&mut self, id: i64, method: &str, params: impl fmt::Display) -> Value {
        self.request(id, method, params).await;
        self.answer_to(id).await
    }

    /// Sends a request, and returns its answer, which must be the next message.
    ///
    /// # Panics
    /// As [`message`](Self::message), or if the next message has another id.
    pub async fn ask_next(&mut self, id: i64, method: &str, params: impl fmt::Display) -> Value {
        self.request(id, method, params).await;
        let message = self.message().await;
        assert_eq!(message["id"], id, "{message}");
        message
    }
}

impl fmt::Debug for RawPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawPeer").field("read", &self.read).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_transport::memory;
    use serde_json::json;

    #[tokio::test]
    async fn an_answer_is_found_behind_other_messages_which_are_kept() {
        let (here, there) = memory::pair();
        let (mut here, mut there) = (RawPeer::new(here), RawPeer::new(there));
        here.request(1, "add", json!({"a": 1})).await;
        assert_eq!(there.text().await, r#"{"jsonrpc":"2.0","id":1,"method":"add","params":{"a":1}}"#);
        there.send(r#"{"method":"other","id":1}"#).await;
        there.send(json!({"id": 1, "result": 2})).await;
        assert_eq!(here.answer_to(1).await["result"], 2);
        assert_eq!(here.read.len(), 2);
        drop(there);
        assert_eq!(here.next_text().await, None);
    }
}

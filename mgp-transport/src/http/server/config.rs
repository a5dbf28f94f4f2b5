//! The bounds of an HTTP server.

use crate::connection::Config;
use std::time::Duration;

/// The bounds of an HTTP server. Every one can be set.
#[derive(Debug, Clone)]
pub struct HttpServerConfig {
    /// The longest body that is read, in bytes.
    pub max_body: usize,
    /// How long a client may take to send a body.
    pub read_time_limit: Duration,
    /// How long a client may take nothing of a stream before it loses that stream.
    pub write_time_limit: Duration,
    /// How many messages may wait in one stream before senders wait.
    pub stream_messages: usize,
    /// How many bytes of messages may wait in one stream before senders wait.
    pub stream_bytes: usize,
    /// How many sessions there may be.
    pub sessions: usize,
    /// How long nothing may happen on a session before it ends. A call that runs or a stream that is open counts as something.
    pub idle_time_limit: Duration,
    /// How often an idle stream says that it is alive; `None` for never.
    pub keep_alive: Option<Duration>,
    /// In which form requests are answered.
    pub reply_form: ReplyForm,
    /// How long a request without an answer stays one that could still be answered as JSON. After it, the answer is a
    /// stream, so that neither client nor proxy waits for headers.
    pub json_time_limit: Duration,
    /// How many TCP connections there may be.
    pub connections: usize,
    /// How long a TCP connection may carry nothing, either way, before it is closed. Streams say that they are alive, so
    /// only unused connections run into it; it is not applied where streams do not.
    pub idle_connection_time_limit: Duration,
    /// How long calls may go on after a shutdown was asked for.
    pub drain_time_limit: Duration,
    /// The bounds of each session.
    pub session: Config,
}

/// In which form requests are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyForm {
    /// JSON where the answer is all there is, else a stream.
    AsNeeded,
    /// Always a stream.
    Stream,
}

impl Default for HttpServerConfig {
    fn default() -> Self {
        Self {
            max_body: 16 * 1024 * 1024,
            read_time_limit: Duration::from_secs(30),
            write_time_limit: Duration::from_secs(30),
            stream_messages: 1024,
            stream_bytes: 1024 * 1024,
            sessions: 1024,
            idle_time_limit: Duration::from_secs(30 * 60),
            keep_alive: Some(Duration::from_secs(15)),
            reply_form: ReplyForm::AsNeeded,
            json_time_limit: Duration::from_secs(10),
            connections: 1024,
            idle_connection_time_limit: Duration::from_secs(60),
            drain_time_limit: Duration::from_secs(30),
            session: Config::default(),
        }
    }
}

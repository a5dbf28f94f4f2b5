//! The bounds of an HTTP server.

use crate::connection::Config;
use std::time::Duration;

/// The bounds of an HTTP server. Every one can be set.
#[derive(Debug, Clone)]
pub struct HttpServerConfig {
    /// The longest body that is read, in bytes.
    pub max_body: usize,
    /// The bytes that bodies of all callers may hold together: those that have arrived in part, and those whose requests are handled.
    /// Bodies of at most 64 KiB do not count, and one body is always taken.
    pub total_body_limit: usize,
    /// The part of them that bodies of one principal may hold, in the same way as
    /// [`sessions_of_one`](Self::sessions_of_one).
    pub total_body_limit_of_one: Option<usize>,
    /// How long a client may take to send a body.
    pub read_time_limit: Duration,
    /// The time for the head of a request on a TCP connection on which none has authenticated, from the start of the connection or the end
    /// of its last request.
    pub head_time_limit: Duration,
    /// How long it may take to judge a token.
    pub authenticate_time_limit: Duration,
    /// How long a client may take nothing of a stream before it loses that stream.
    pub write_time_limit: Duration,
    /// How many messages may wait in one stream before senders wait.
    pub stream_messages: usize,
    /// How many bytes of messages may wait in one stream before senders wait.
    pub stream_bytes: usize,
    /// How many sessions there may be.
    pub sessions: usize,
    /// How many of them one principal may have, where callers are told apart by tokens or by keys of several principals; `None` for
    /// a quarter. Where everybody is one principal, all are theirs.
    pub sessions_of_one: Option<usize>,
    /// How many requests of clients without sessions may be under way.
    pub requests: usize,
    /// How many of them may be one principal's, in the same way.
    pub requests_of_one: Option<usize>,
    /// How long nothing may happen on a session before it ends. A call that runs or a stream that is open counts as something.
    pub idle_time_limit: Duration,
    /// How often an idle stream says that it is alive; `None` for never.
    pub keep_alive: Option<Duration>,
    /// In which form requests are answered.
    pub reply_form: ReplyForm,
    /// How long a request without an answer stays one that could still be answered as JSON. After it, the answer is a
    /// stream, so that neither client nor proxy waits for headers.
    pub json_time_limit: Duration,
    /// How streams that broke are gone on with.
    pub resume: ResumeConfig,
    /// The number of TCP connections that there may be; fewer where the process may not open as many files.
    pub connections: usize,
    /// How many of them are for connections on which no request has authenticated; `None` for a quarter. At least one is, and at
    /// least one is not. The oldest of them without a request makes room for a new one, and at most half of them may wait until
    /// a token is judged.
    pub unauthenticated_connections: Option<usize>,
    /// How many of the others one principal may have, in the same way as [`sessions_of_one`](Self::sessions_of_one). Where all of
    /// them have a request, one more is refused with 429; otherwise the one that is idle for longest makes room for it.
    pub connections_of_one: Option<usize>,
    /// The time for the head of a request on the other connections, from the end of the last request.
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

/// How streams that broke are gone on with: what is kept of them for a client that comes back with `Last-Event-ID`.
#[derive(Debug, Clone, Copy)]
pub struct ResumeConfig {
    /// How many messages of one stream are kept that went out, and how many may wait where no client reads it. The last one that
    /// went out and the answer are kept beside them.
    pub messages: usize,
    /// The same in bytes.
    pub bytes: usize,
    /// How many streams of a session are kept after their answer.
    pub answers: usize,
    /// How many bytes they may have together; of a longer answer nothing is kept.
    pub answer_bytes: usize,
    /// How long a stream is kept after its client left, and after its answer.
    pub time_limit: Duration,
    /// How long clients are asked to wait before they come back. Only clients of 2025-11-25 or later are told.
    pub retry: Option<Duration>,
    /// How long the stream of a call is left open before it is closed, so that its client polls; `None` for as long as the
    /// call runs. Only for clients of 2025-11-25 or later: earlier ones do not come back.
    pub poll_after: Option<Duration>,
}

impl Default for ResumeConfig {
    fn default() -> Self {
        Self {
            messages: 256,
            bytes: 256 * 1024,
            answers: 64,
            answer_bytes: 4 * 1024 * 1024,
            time_limit: Duration::from_secs(5 * 60),
            retry: Some(Duration::from_secs(1)),
            poll_after: None,
        }
    }
}

/// A time that no program lasts, after which there still is an instant.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

impl HttpServerConfig {
    /// Returns the same bounds with times to which an instant can be added, `Duration::MAX` among them.
    pub(super) fn with_finite_times(mut self) -> Self {
        for time in [
            &mut self.read_time_limit,
            &mut self.authenticate_time_limit,
            &mut self.write_time_limit,
            &mut self.idle_time_limit,
            &mut self.json_time_limit,
            &mut self.resume.time_limit,
            &mut self.idle_connection_time_limit,
            &mut self.drain_time_limit,
            &mut self.session.write_time_limit,
        ] {
            *time = (*time).min(LONGEST);
        }
        for time in [&mut self.keep_alive, &mut self.resume.retry, &mut self.resume.poll_after] {
            *time = time.map(|time| time.min(LONGEST));
        }
        self
    }
}

impl Default for HttpServerConfig {
    fn default() -> Self {
        Self {
            max_body: 16 * 1024 * 1024,
            total_body_limit: 256 * 1024 * 1024,
            total_body_limit_of_one: None,
            read_time_limit: Duration::from_secs(30),
            head_time_limit: Duration::from_secs(10),
            authenticate_time_limit: Duration::from_secs(15),
            write_time_limit: Duration::from_secs(30),
            stream_messages: 1024,
            stream_bytes: 1024 * 1024,
            sessions: 1024,
            sessions_of_one: None,
            requests: 4096,
            requests_of_one: None,
            idle_time_limit: Duration::from_secs(30 * 60),
            keep_alive: Some(Duration::from_secs(15)),
            reply_form: ReplyForm::AsNeeded,
            json_time_limit: Duration::from_secs(10),
            resume: ResumeConfig::default(),
            connections: 768,
            unauthenticated_connections: None,
            connections_of_one: None,
            idle_connection_time_limit: Duration::from_secs(60),
            drain_time_limit: Duration::from_secs(30),
            session: Config::default(),
        }
    }
}

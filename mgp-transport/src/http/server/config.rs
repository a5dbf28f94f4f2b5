//! The bounds of an HTTP server.

use crate::connection::Config;
use std::time::Duration;

/// The bounds of an HTTP server.
#[derive(Debug, Clone)]
pub struct HttpServerConfig {
    /// The longest body that is read, in bytes.
    pub max_body: usize,
    /// The most bytes that the bodies of all callers may hold in total, from partial bodies and from requests in progress. Bodies
    /// of at most 64 KiB do not count, and one body is always accepted.
    pub total_body_limit: usize,
    /// The most of those bytes that bodies of one principal may hold, by the same rule as [`sessions_of_one`](Self::sessions_of_one).
    pub total_body_limit_of_one: Option<usize>,
    /// The time limit of a client for sending a body.
    pub read_timeout: Duration,
    /// The time limit for the head of a request on a TCP connection on which no request has authenticated, from the start of the
    /// connection or the end of its last request.
    pub head_timeout: Duration,
    /// The time limit of verifying a token.
    pub authenticate_timeout: Duration,
    /// The longest time that a client may take nothing of a stream before it loses that stream.
    pub write_timeout: Duration,
    /// The number of messages that may wait in one stream before senders wait.
    pub stream_messages: usize,
    /// The number of bytes of messages that may wait in one stream before senders wait.
    pub stream_bytes: usize,
    /// The most sessions at the same time. For one more, the session that is idle longest ends, if its principal is the same, or
    /// has more sessions.
    pub sessions: usize,
    /// The most sessions of one principal, if callers are distinguished by tokens or by keys of several principals; `None` for a
    /// quarter of all. If there is only one principal, it may have all.
    pub sessions_of_one: Option<usize>,
    /// The most requests of clients without sessions that may be in flight.
    pub requests: usize,
    /// The most of those requests that one principal may have, by the same rule.
    pub requests_of_one: Option<usize>,
    /// The time after which an idle session ends. A session with a running call or an open stream is not idle.
    pub idle_timeout: Duration,
    /// The interval at which an idle stream sends a comment to show that it is alive; `None` for never.
    pub keep_alive: Option<Duration>,
    /// The form in which requests are answered.
    pub reply_form: ReplyForm,
    /// The time within which an answer may still be sent as JSON. After this time, the answer is a stream, so that neither client nor
    /// proxy waits for headers.
    pub json_timeout: Duration,
    /// The bounds of resuming streams that broke.
    pub resume: ResumeConfig,
    /// The most TCP connections that may be open; fewer if the process may not open as many files.
    pub connections: usize,
    /// The most of those connections on which no request has authenticated; `None` for a quarter. At least one place is for these
    /// connections, and at least one for others. The oldest of them without a request makes room for a new one, and at most half
    /// of them may wait for a token to be verified.
    pub unauthenticated_connections: Option<usize>,
    /// The most of the other connections that one principal may have, by the same rule as
    /// [`sessions_of_one`](Self::sessions_of_one). If all of them have a request, one more is refused with 429. Otherwise the
    /// connection that is idle for longest makes room for it.
    pub connections_of_one: Option<usize>,
    /// The time limit for the head of a request on the other connections, from the end of the last request.
    pub idle_connection_timeout: Duration,
    /// The time from the announcement of a shutdown until new calls are refused, in which balancers notice that `/readyz` is off.
    pub shutdown_delay: Duration,
    /// The time limit of calls that still run when a shutdown is requested.
    pub drain_timeout: Duration,
    /// The bounds of each session.
    pub session: Config,
}

/// The form in which requests are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyForm {
    /// JSON if nothing is sent before the answer, otherwise a stream.
    AsNeeded,
    /// Always a stream.
    Stream,
}

/// The bounds of resuming streams that broke: the messages that are kept for a client that reconnects with `Last-Event-ID`.
#[derive(Debug, Clone, Copy)]
pub struct ResumeConfig {
    /// The most sent messages of one stream that are kept, and the most that may wait while no client reads the stream. The last
    /// message that was sent, and the answer, are kept in addition.
    pub messages: usize,
    /// The same bounds in bytes.
    pub bytes: usize,
    /// The most streams of a session that are kept after their answer.
    pub answers: usize,
    /// The most bytes that those streams may hold together; a longer answer is not kept.
    pub answer_bytes: usize,
    /// The time that a stream is kept after its client left, and after its answer.
    pub timeout: Duration,
    /// The wait that clients are asked for before they reconnect. Only clients of 2025-11-25 or later are asked.
    pub retry: Option<Duration>,
    /// The time after which the stream of a call is closed, so that its client polls; `None` to leave it open while the call
    /// runs. Applies only to clients of 2025-11-25 or later: earlier ones do not reconnect.
    pub poll_after: Option<Duration>,
}

impl Default for ResumeConfig {
    fn default() -> Self {
        Self {
            messages: 256,
            bytes: 256 * 1024,
            answers: 64,
            answer_bytes: 4 * 1024 * 1024,
            timeout: Duration::from_secs(5 * 60),
            retry: Some(Duration::from_secs(1)),
            poll_after: None,
        }
    }
}

/// A time longer than any program runs that can still be added to an instant.
const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

impl HttpServerConfig {
    /// Returns the same bounds with times that can be added to an instant, instead of longer ones such as `Duration::MAX`.
    pub(super) fn with_finite_times(mut self) -> Self {
        for time in [
            &mut self.read_timeout,
            &mut self.authenticate_timeout,
            &mut self.write_timeout,
            &mut self.idle_timeout,
            &mut self.json_timeout,
            &mut self.resume.timeout,
            &mut self.idle_connection_timeout,
            &mut self.shutdown_delay,
            &mut self.drain_timeout,
            &mut self.session.write_timeout,
        ] {
            *time = (*time).min(FOREVER);
        }
        for time in [&mut self.keep_alive, &mut self.resume.retry, &mut self.resume.poll_after] {
            *time = time.map(|time| time.min(FOREVER));
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
            read_timeout: Duration::from_secs(30),
            head_timeout: Duration::from_secs(10),
            authenticate_timeout: Duration::from_secs(15),
            write_timeout: Duration::from_secs(30),
            stream_messages: 1024,
            stream_bytes: 1024 * 1024,
            sessions: 1024,
            sessions_of_one: None,
            requests: 4096,
            requests_of_one: None,
            idle_timeout: Duration::from_secs(30 * 60),
            keep_alive: Some(Duration::from_secs(15)),
            reply_form: ReplyForm::AsNeeded,
            json_timeout: Duration::from_secs(10),
            resume: ResumeConfig::default(),
            connections: 768,
            unauthenticated_connections: None,
            connections_of_one: None,
            idle_connection_timeout: Duration::from_secs(60),
            shutdown_delay: Duration::ZERO,
            drain_timeout: Duration::from_secs(30),
            session: Config::default(),
        }
    }
}

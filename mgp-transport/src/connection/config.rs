//! The bounds of a connection.

use crate::seam::Session;
use mgp_types::json::RawObject;
use std::time::Duration;

/// The bounds of a connection. The defaults suit a tool server and a host on the same machine.
#[derive(Debug, Clone)]
pub struct Config {
    /// The most messages that may wait to be dispatched. Requests beyond that are answered with error 3001.
    pub backlog: usize,
    /// The most bytes that may be held at the same time. One total counts the params of all requests that run or wait, and of
    /// notifications that wait. Another counts the notifications that wait for the caller of one call. If nothing is held yet, a
    /// message of any length is accepted. Requests of the lane count, but are never refused for this limit.
    pub held_bytes: usize,
    /// The most requests of the other side that may run or wait at the same time.
    pub running: usize,
    /// The most calls to the other side that may be in flight.
    pub pending: usize,
    /// The most notifications of one call that may wait for its caller.
    pub call_queue: usize,
    /// The most requests of the lane that may run at the same time. No other limit delays them.
    pub lane: usize,
    /// The time limit of a notification's handler, which delays the next message.
    pub notification_timeout: Duration,
    /// The longest time that the other side may take no bytes before it loses the connection.
    pub write_timeout: Duration,
    /// The number of bytes that may wait to be written before senders wait.
    pub write_buffer: usize,
    /// The longest frame that is read, in bytes without its line break.
    pub max_frame: usize,
    /// The most messages in one batch, if the agreed revision has batches.
    pub batch: usize,
    /// The treatment of lines that are not messages.
    pub unreadable: Unreadable,
    /// The meaning of the end of the input.
    pub end_of_input: EndOfInput,
    /// A function that adds members to the params of each request of this side, for example a trace. Requests that are sent
    /// [exactly as given](crate::seam::Peer::start_exact) are not changed.
    pub request_members: Option<fn(&mut RawObject, &Session)>,
}

/// The treatment of lines that are not messages and name no call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// The line is answered with an error, as JSON-RPC requires.
    Answer,
    /// The line is skipped and counted, and the first few are logged. Programs that serve over stdout often print other text
    /// there too, and read no answers to it.
    PassOver,
}

/// The meaning of the end of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndOfInput {
    /// The other side is gone: its calls are cancelled.
    Close,
    /// The other side sends no more requests, but may still read: its running requests are finished and answered, within a time limit.
    Drain(Duration),
}

impl Default for Config {
    fn default() -> Self {
        Self {
            backlog: 1024,
            held_bytes: 64 * 1024 * 1024,
            running: 4096,
            pending: 4096,
            call_queue: 1024,
            lane: 64,
            notification_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            write_buffer: 1024 * 1024,
            max_frame: 16 * 1024 * 1024,
            batch: 64,
            unreadable: Unreadable::Answer,
            end_of_input: EndOfInput::Close,
            request_members: None,
        }
    }
}

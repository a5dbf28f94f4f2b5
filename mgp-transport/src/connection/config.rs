//! The bounds of a connection.

use std::time::Duration;

/// The bounds of a connection. Every one can be set; the defaults suit a tool server and a host on one machine.
#[derive(Debug, Clone)]
pub struct Config {
    /// How many messages may wait to be dispatched. One more request is answered with 3001.
    pub backlog: usize,
    /// How many bytes the params of all requests that run or wait may have together, with those of notifications that wait; and,
    /// counted for itself, how many the notifications that wait for the caller of one call. Where nothing is held yet, one message
    /// is taken, however long. Requests of the lane count, but are never refused for it.
    pub held_bytes: usize,
    /// How many requests of the other side may run or wait at the same time.
    pub running: usize,
    /// How many calls to the other side may be under way.
    pub pending: usize,
    /// How many notifications of one call may wait for its caller.
    pub call_queue: usize,
    /// How many requests of the lane that no limit holds up may run at the same time.
    pub lane: usize,
    /// How long a notification's handler may hold up the next message.
    pub notification_time_limit: Duration,
    /// How long the other side may take no bytes before it loses the connection.
    pub write_time_limit: Duration,
    /// How many bytes may wait to be written before senders wait.
    pub write_buffer: usize,
    /// The longest frame that is read, in bytes without its line break.
    pub max_frame: usize,
    /// How many messages one batch may hold, where the revision that was agreed on has batches.
    pub batch: usize,
    /// What becomes of a line that is no message.
    pub unreadable: Unreadable,
    /// What the end of the input means.
    pub end_of_input: EndOfInput,
}

/// What becomes of a line that is no message and names no call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    /// It is answered with an error, as JSON-RPC asks.
    Answer,
    /// It is passed over: counted, and the first few logged. Programs that are made servers print to their stdout, and read
    /// no answers to that.
    PassOver,
}

/// What the end of the input means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndOfInput {
    /// The other side is gone: its calls are cancelled.
    Close,
    /// The other side asks for nothing more, but may still read: what runs is finished and answered, within a time limit.
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
            notification_time_limit: Duration::from_secs(30),
            write_time_limit: Duration::from_secs(30),
            write_buffer: 1024 * 1024,
            max_frame: 16 * 1024 * 1024,
            batch: 64,
            unreadable: Unreadable::Answer,
            end_of_input: EndOfInput::Close,
        }
    }
}

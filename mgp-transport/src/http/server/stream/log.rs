//! The messages of one stream in order: those that wait, and the last ones that were sent, which a client may request again.

use bytes::Bytes;
use mgp_types::rpc::Method;
use std::collections::VecDeque;

/// One message on its way to a client.
#[derive(Debug, Clone)]
pub(in crate::http::server) struct Event {
    pub(in crate::http::server) text: Bytes,
    pub(in crate::http::server) kind: Kind,
}

/// The meaning of a message for the stream that carries it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::http::server) enum Kind {
    /// A message after which more may follow.
    Message,
    /// A notification that replaces waiting ones of the same method.
    Mergeable(Method),
    /// The answer to a request, and whether it is a result. A stream ends with its last answer.
    Answer { ok: bool },
}

/// The reason why a stream cannot be resumed after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http::server) enum ResumeError {
    /// There never was an event with this id.
    Unknown,
    /// The messages after the event are no longer kept.
    Expired,
}

/// The bounds on a stream's messages that wait, or that are kept after they were sent.
#[derive(Debug, Clone, Copy)]
pub(in crate::http::server) struct Retention {
    pub(in crate::http::server) messages: usize,
    pub(in crate::http::server) bytes: usize,
}

/// The messages of one stream. Events are numbered from 1.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// The messages that were sent, then those that wait.
    events: VecDeque<Event>,
    /// The number of messages in `events` that were sent.
    sent: usize,
    sent_bytes: usize,
    waiting_bytes: usize,
    /// The number of messages that were forgotten, which is the number of the event before the first one kept.
    forgotten: u64,
}

impl Log {
    pub(super) fn push(&mut self, event: Event) {
        self.waiting_bytes += event.text.len();
        self.events.push_back(event);
    }

    /// Takes the next waiting message, with its number. The message counts as sent from now on.
    pub(super) fn take(&mut self, kept: Retention) -> Option<(u64, Event)> {
        let event = self.events.get(self.sent)?.clone();
        let length = event.text.len();
        self.sent += 1;
        self.sent_bytes += length;
        self.waiting_bytes -= length;
        let number = self.last_sent();
        self.trim(kept);
        Some((number, event))
    }

    /// Returns the number of the event that was sent last; 0 before the first.
    pub(super) fn last_sent(&self) -> u64 {
        self.forgotten + self.sent as u64
    }

    /// Makes all messages after an event wait again.
    pub(super) fn rewind(&mut self, after: u64) -> Result<(), ResumeError> {
        if after > self.last_sent() {
            return Err(ResumeError::Unknown);
        }
        let Some(sent) = after.checked_sub(self.forgotten) else { return Err(ResumeError::Expired) };
        let Ok(sent) = usize::try_from(sent) else { return Err(ResumeError::Unknown) };
        let again: usize = self.events.range(sent..self.sent).map(|event| event.text.len()).sum();
        self.sent = sent;
        self.sent_bytes -= again;
        self.waiting_bytes += again;
        Ok(())
    }

    /// Returns the number of messages that wait.
    pub(super) fn waiting(&self) -> usize {
        self.events.len() - self.sent
    }

    /// Returns the length of the messages that wait, in bytes.
    pub(super) fn waiting_bytes(&self) -> usize {
        self.waiting_bytes
    }

    /// Returns the length of all messages, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.sent_bytes + self.waiting_bytes
    }

    /// Returns `true` if a message of the kind waits.
    pub(super) fn holds(&self, kind: &Kind) -> bool {
        self.events.range(self.sent..).any(|event| event.kind == *kind)
    }

    /// Forgets all messages, including those that wait.
    pub(super) fn clear(&mut self) {
        *self = Self { forgotten: self.forgotten + self.events.len() as u64, ..Self::default() };
    }

    fn trim(&mut self, kept: Retention) {
        while self.sent > 1 && (self.sent > kept.messages || self.sent_bytes > kept.bytes) {
            let Some(event) = self.events.pop_front() else { return };
            self.sent -= 1;
            self.sent_bytes -= event.text.len();
            self.forgotten += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(messages: usize) -> Log {
        let mut log = Log::default();
        for n in 1..=messages {
            log.push(Event { text: n.to_string().into(), kind: Kind::Message });
        }
        log
    }

    fn rest(log: &mut Log, kept: Retention) -> Vec<(u64, String)> {
        let mut events = Vec::new();
        while let Some((number, event)) = log.take(kept) {
            events.push((number, String::from_utf8(event.text.to_vec()).unwrap()));
        }
        events
    }

    fn texts(numbers: std::ops::RangeInclusive<u64>) -> Vec<(u64, String)> {
        numbers.map(|n| (n, n.to_string())).collect()
    }

    const ALL: Retention = Retention { messages: 100, bytes: 100 };

    #[test]
    fn all_events_after_a_given_one_are_replayed() {
        let mut log = log(5);
        assert_eq!(rest(&mut log, ALL), texts(1..=5));
        for after in [0, 2, 5] {
            assert_eq!(log.rewind(after), Ok(()));
            assert_eq!((log.waiting() as u64, log.bytes()), (5 - after, 5));
            assert_eq!(rest(&mut log, ALL), texts(after + 1..=5));
        }
        assert_eq!(log.rewind(6), Err(ResumeError::Unknown));
    }

    #[test]
    fn an_unsent_event_cannot_be_named() {
        let mut log = log(3);
        log.take(ALL);
        assert_eq!(log.rewind(2), Err(ResumeError::Unknown));
        assert_eq!(log.rewind(1), Ok(()));
        assert_eq!(rest(&mut log, ALL), texts(2..=3));
    }

    #[test]
    fn kept_events_are_bounded_in_number_and_bytes_but_the_last() {
        for kept in [Retention { messages: 2, bytes: 100 }, Retention { messages: 100, bytes: 2 }] {
            let mut log = log(5);
            assert_eq!(rest(&mut log, kept), texts(1..=5));
            assert_eq!(log.rewind(2), Err(ResumeError::Expired));
            assert_eq!(log.rewind(3), Ok(()));
            assert_eq!(log.bytes(), 2);
        }
        let mut log = log(5);
        rest(&mut log, Retention { messages: 0, bytes: 0 });
        assert_eq!((log.rewind(3), log.rewind(4)), (Err(ResumeError::Expired), Ok(())));
        log.clear();
        assert_eq!((log.bytes(), log.waiting(), log.last_sent()), (0, 0, 5));
        assert_eq!(log.rewind(4), Err(ResumeError::Expired));
    }
}

//! The id of an event: its session, the stream in that session, and the place in that stream.

use std::{fmt, str::FromStr};

/// The id of an event. The id is not a secret and gives no access: the session is first found by its own name, and refuses ids of
/// other sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventId {
    /// The session, by its number in this process.
    pub(crate) session: u64,
    /// The stream, by its number in the session; 0 is the session's own.
    pub(crate) stream: u64,
    /// The event, by its number in the stream; 0 is before the first.
    pub(crate) event: u64,
}

/// A text that is not the id of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct InvalidEventId;

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.session, self.stream, self.event)
    }
}

impl FromStr for EventId {
    type Err = InvalidEventId;

    fn from_str(text: &str) -> Result<Self, InvalidEventId> {
        let mut parts = text.split('-').map(|part| {
            // A number would be parsed with a sign, too.
            part.parse().ok().filter(|_| !part.starts_with('+')).ok_or(InvalidEventId)
        });
        let mut next = || parts.next().unwrap_or(Err(InvalidEventId));
        let id = Self { session: next()?, stream: next()?, event: next()? };
        if parts.next().is_some() { Err(InvalidEventId) } else { Ok(id) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_valid_id_reads_back() {
        let id = EventId { session: 7, stream: 0, event: u64::MAX };
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in ["", "1", "1-2", "1-2-3-4", "1-2-", "+1-2-3", "a-2-3", "1-2-99999999999999999999"] {
            assert_eq!(text.parse::<EventId>(), Err(InvalidEventId), "{text}");
        }
    }
}

//! The rate limits of a reader's warnings.

use crate::seam::LogLimit;

/// The rate limits of a reader's warnings, one for each kind, so that a flood of one kind does not hide the others.
#[derive(Debug, Default)]
pub(crate) struct InboxWarnings {
    /// Messages that the other side could not read.
    pub(super) unread: LogLimit,
    /// Requests of a server that must not send any.
    pub(super) requests: LogLimit,
    /// Notifications whose bytes exceed the room.
    pub(super) no_room: LogLimit,
    /// Notifications that exceed the backlog.
    pub(super) backlog: LogLimit,
    /// Calls whose notifications are not read.
    pub(super) callers: LogLimit,
}

impl InboxWarnings {
    /// Returns each limit, with a description of its warnings.
    pub(super) fn all(&self) -> [(&LogLimit, &'static str); 5] {
        [
            (&self.unread, "messages that the peer could not read"),
            (&self.requests, "requests of a stateless server"),
            (&self.no_room, "notifications without room"),
            (&self.backlog, "notifications beyond the backlog"),
            (&self.callers, "callers that do not read"),
        ]
    }
}

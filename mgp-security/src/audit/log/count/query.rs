//! A question for counts.

use crate::audit::AuditFilter;
use jiff::Timestamp;
use std::time::Duration;

/// The span of time that is counted if the filter has no beginning.
const SPAN: Duration = Duration::from_hours(24);

/// The most spans of time that an answer has.
const MAX_SPANS: i64 = 1000;

/// The property by which events are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountBy {
    /// The actor, such as the agent of a call.
    Agent,
    /// The server.
    Server,
    /// The tool, with its server.
    Tool,
    /// The type of event.
    Type,
    /// The outcome.
    Result,
}

/// A question for counts of events.
///
/// ```
/// use mgp_security::audit::{AuditCountQuery, AuditFilter, CountBy};
/// use std::time::Duration;
///
/// // The calls of the last day by tool, an hour at a time.
/// let query = AuditCountQuery {
///     filter: AuditFilter { last: 100_000, ..AuditFilter::default() },
///     by: CountBy::Tool,
///     span: Duration::from_secs(3600),
///     groups: 50,
/// };
/// assert_eq!(query.filter.since, None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditCountQuery {
    /// The filter. Without `since`, the last 24 hours before `until` are counted. `last` is the most events that are read, the newest ones, whether
    /// or not they match. `before` has no effect.
    pub filter: AuditFilter,
    /// The property by which events are grouped.
    pub by: CountBy,
    /// The length of the spans of time that are counted apart. Longer ones are used if there would be more than 1000.
    pub span: Duration,
    /// The most groups of the answer.
    pub groups: usize,
}

/// The limits of a count, in microseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) since: i64,
    /// The end, which is not counted.
    pub(super) until: i64,
    pub(super) span: i64,
}

impl AuditCountQuery {
    pub(super) fn window(&self, now: Timestamp) -> Window {
        // An event of this moment counts.
        let until = self.filter.until.map_or_else(|| now.as_microsecond() + 1, Timestamp::as_microsecond);
        let day = i64::try_from(SPAN.as_micros()).unwrap_or(i64::MAX);
        let since = self.filter.since.map_or(until - day, Timestamp::as_microsecond).min(until);
        let asked = i64::try_from(self.span.as_micros()).unwrap_or(i64::MAX);
        let least = (until - since) / MAX_SPANS + 1;
        Window { since, until, span: asked.max(least) }
    }
}

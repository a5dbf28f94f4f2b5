//! Counts of the events in a span of time.
//!
//! | file | contents |
//! |---|---|
//! | `query` | the question |
//! | `counts` | the answer |
//! | `event` | the parts of an event that are counted |
//! | `tally` | adds events up |
//! | `local` | reads the file |
//! | `shared` | reads a database |

mod counts;
mod event;
mod local;
mod query;
mod shared;
mod tally;

pub use counts::{AuditCounts, CountedGroup, CountedSpan, EventCounts};
pub(super) use local::count;
pub use query::{AuditCountQuery, CountBy};

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;

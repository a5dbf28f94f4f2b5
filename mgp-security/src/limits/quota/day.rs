//! The days of quotas.

use jiff::{Timestamp, civil::Date, tz::TimeZone};

/// A day in UTC, for which quotas are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaDay {
    /// The date.
    pub date: Date,
    /// The time at which the next day begins.
    pub resets_at: Timestamp,
}

impl QuotaDay {
    /// Returns the day that has a time.
    ///
    /// ```
    /// use mgp_security::limits::quota::QuotaDay;
    ///
    /// let day = QuotaDay::of("2026-03-15T23:59:59.5Z".parse()?);
    /// assert_eq!((day.date.to_string(), day.resets_at.to_string()), ("2026-03-15".into(), "2026-03-16T00:00:00Z".into()));
    /// # Ok::<(), jiff::Error>(())
    /// ```
    #[must_use]
    pub fn of(time: Timestamp) -> Self {
        let date = time.to_zoned(TimeZone::UTC).date();
        let tomorrow = date.tomorrow().ok().and_then(|day| day.to_zoned(TimeZone::UTC).ok());
        Self { date, resets_at: tomorrow.map_or(time, |day| day.timestamp()) }
    }
}

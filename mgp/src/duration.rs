//! Durations on the command line.

use jiff::{Span, SpanRelativeTo, Timestamp};
use std::time::Duration;

/// Parses a duration such as `90s`, `30m`, `8h`, `7d` or `1h30m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not a duration: expected one such as 30m, 8h or 7d");
    let span: Span = text.parse().map_err(|_| wrong())?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong())?;
    match Duration::try_from(length) {
        Ok(length) if !length.is_zero() => Ok(length),
        _ => Err(wrong()),
    }
}

/// Returns the end of a duration that starts now.
pub(crate) fn from_now(length: Duration) -> Result<Timestamp, String> {
    Timestamp::now().checked_add(length).map_err(|_| format!("{length:?} is too long"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(duration("7d"), Ok(Duration::from_secs(7 * 86400)));
        for wrong in ["", "x", "5", "-1h", "0s", "1 fortnight"] {
            assert!(duration(wrong).is_err_and(|error| error.contains("30m")), "{wrong}");
        }
    }
}

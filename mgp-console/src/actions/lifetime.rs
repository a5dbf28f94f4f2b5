//! The time for which a decision holds, as the fields of a form say it.

use crate::{command_line::FieldError, form::Form};
use jiff::Timestamp;

/// The form of a time that a field expects.
const EXPECTED: &str = "a time after now";

/// Returns the duration for which something holds; `None` if the form names no time. A time of the calendar comes first, then a duration, then
/// the choice of the list.
///
/// # Errors
/// If the time has passed, or cannot be read.
pub(super) fn lifetime(form: &Form) -> Result<Option<String>, FieldError> {
    lifetime_at(form, Timestamp::now())
}

fn lifetime_at(form: &Form, now: Timestamp) -> Result<Option<String>, FieldError> {
    let chosen = form.one("term").filter(|term| !matches!(*term, "once" | "always" | "session"));
    match (form.one("end"), form.one("for"), chosen) {
        (Some(end), _, _) => until(end, now).map(Some),
        (None, Some(time), _) => Ok(Some(time.trim().to_owned())),
        // The browser adds its midnight as the field `end`.
        (None, None, Some("midnight")) => Err(FieldError::Missing("end")),
        (None, None, term) => Ok(term.map(str::to_owned)),
    }
}

/// Returns the duration until a time in UTC.
fn until(end: &str, now: Timestamp) -> Result<String, FieldError> {
    let wrong = || FieldError::Wrong { name: "end".to_owned(), value: end.to_owned(), expected: EXPECTED };
    let millis = end.parse::<Timestamp>().map_err(|_| wrong())?.as_millisecond() - now.as_millisecond();
    let seconds = (millis + 500).div_euclid(1000);
    if seconds <= 0 {
        return Err(wrong());
    }
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let shown = parts.into_iter().filter(|(count, _)| *count > 0);
    Ok(shown.map(|(count, unit)| format!("{count}{unit}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_the_calendar_becomes_a_duration() {
        let now = "2026-11-30T15:00:10.250Z".parse().unwrap();
        for (form, expected) in [
            ("end=2026-11-30T23:00:00.000Z&for=2h&term=8h", Some("7h59m50s")),
            ("term=midnight&end=2026-12-01T00:00:00Z", Some("8h59m50s")),
            ("end=2026-12-02T15:00:10.250Z", Some("48h")),
            ("for=+90m+&term=always", Some("90m")),
            ("term=7d", Some("7d")),
            ("term=always", None),
            ("term=&for=&end=", None),
        ] {
            let found = lifetime_at(&Form::parse(form.as_bytes()), now).unwrap();
            assert_eq!(found.as_deref(), expected, "{form}");
        }
        for wrong in ["end=2026-11-30T15:00:10Z", "end=2026-11-30T14:59", "end=tonight", "term=midnight"] {
            assert!(lifetime_at(&Form::parse(wrong.as_bytes()), now).is_err(), "{wrong}");
        }
    }
}

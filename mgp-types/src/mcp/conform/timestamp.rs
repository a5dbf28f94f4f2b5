//! Dates with times, as RFC 3339 writes them.

/// Returns whether a text is a date and a time with its offset from UTC.
pub(super) fn is_timestamp(text: &str) -> bool {
    read(text.as_bytes()).is_some()
}

fn read(text: &[u8]) -> Option<()> {
    let (date, rest) = text.split_at_checked(10)?;
    let (time, rest) = rest.split_at_checked(9)?;
    let (year, month, day) = (number(date, 0..4)?, number(date, 5..7)?, number(date, 8..10)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    let is_date = date[4] == b'-' && date[7] == b'-' && (1..=days).contains(&day);
    let is_time = time[0] == b'T' && is_clock(&time[1..6])? && time[6] == b':' && number(time, 7..9)? < 60;
    let offset = match rest {
        [b'.', digits @ ..] => {
            let end = digits.iter().position(|byte| !byte.is_ascii_digit()).filter(|end| *end > 0)?;
            &digits[end..]
        }
        _ => rest,
    };
    let is_offset = match offset {
        b"Z" => true,
        [b'+' | b'-', clock @ ..] => is_clock(clock)?,
        _ => false,
    };
    (is_date && is_time && is_offset).then_some(())
}

/// Returns whether a text is hours and minutes.
fn is_clock(text: &[u8]) -> Option<bool> {
    Some(text.len() == 5 && text[2] == b':' && number(text, 0..2)? < 24 && number(text, 3..5)? < 60)
}

fn number(text: &[u8], digits: std::ops::Range<usize>) -> Option<u32> {
    let digits = text.get(digits)?;
    digits
        .iter()
        .try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_date_with_time_and_offset_is_a_timestamp() {
        for valid in ["2026-01-31T12:00:00Z", "2024-02-29T23:59:59.123456+05:30", "2026-12-01T00:00:00-00:00"]
        {
            assert!(is_timestamp(valid), "{valid}");
        }
        for invalid in [
            "",
            "2026-01-31",
            "2026-01-31T12:00:00",
            "2026-01-31 12:00:00Z",
            "2026-02-29T12:00:00Z",
            "2026-13-01T12:00:00Z",
            "2026-04-31T12:00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T12:60:00Z",
            "2026-01-31T12:00:60Z",
            "2026-01-31T12:00:00.Z",
            "2026-01-31T12:00:00+5",
            "2026-01-31T12:00:00+05:30x",
            "2026-01-31T12:00:00é",
            "+026-01-31T12:00:00Z",
        ] {
            assert!(!is_timestamp(invalid), "{invalid}");
        }
    }
}

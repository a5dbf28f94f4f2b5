//! Spans of time in words.

use crate::page::Context;

/// Returns a number of seconds in its two largest units.
pub(super) fn span(context: &Context, seconds: u64) -> String {
    let words = &context.texts.now;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    let one = |number: u64, unit: &str| format!("{number} {unit}");
    match (days, hours, minutes) {
        (0, 0, 0) => one(seconds, &words.seconds),
        (0, 0, _) => format!("{} {}", one(minutes, &words.minutes), one(seconds % 60, &words.seconds)),
        (0, ..) => format!("{} {}", one(hours, &words.hours), one(minutes % 60, &words.minutes)),
        _ => format!("{} {}", one(days, &words.days), one(hours % 24, &words.hours)),
    }
}

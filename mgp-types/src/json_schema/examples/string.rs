//! Strings of a length, a pattern or a format.

use super::{budget::Budget, pattern};
use serde_json::{Map, Value};

/// The longest string that is generated, in characters.
const MAX_CHARS: u64 = 4096;

/// Returns a string.
pub(super) fn value(budget: &mut Budget, members: &Map<String, Value>, nth: usize) -> Option<Value> {
    let text = |key: &str| members.get(key).and_then(Value::as_str);
    let length = |key: &str| members.get(key).and_then(Value::as_u64);
    let (least, most) = (length("minLength").unwrap_or(0), length("maxLength").unwrap_or(u64::MAX));
    if least > MAX_CHARS || least > most {
        return None;
    }
    let fits = |text: &String| (least..=most).contains(&(text.chars().count() as u64));
    if let Some(pattern) = text("pattern") {
        let formatted = text("format").and_then(|format| of_format(format, nth));
        let plain = [formatted, Some(plain(nth)), Some(format!("{}", nth + 1))].into_iter().flatten();
        return pattern::matching(budget, pattern, plain.filter(fits), least, most).map(Value::String);
    }
    budget.take(usize::try_from(least).ok()?)?;
    let known = match text("contentEncoding") {
        Some("base64") => Some("ZXhhbXBsZQ==".to_owned()),
        _ => text("format").and_then(|format| of_format(format, nth)),
    };
    let text = known.filter(fits).unwrap_or_else(|| cut_to(plain(nth), least, most));
    Some(Value::String(text))
}

/// Returns a placeholder text.
pub(super) fn plain(nth: usize) -> String {
    if nth == 0 { "example".to_owned() } else { format!("example{}", nth + 1) }
}

/// Returns a text of a length.
fn cut_to(text: String, least: u64, most: u64) -> String {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if text.chars().count() > most {
        // The end distinguishes one example from another.
        return text.chars().rev().take(most).collect::<Vec<_>>().into_iter().rev().collect();
    }
    let missing = usize::try_from(least).unwrap_or(0).saturating_sub(text.chars().count());
    text + &"x".repeat(missing)
}

/// Returns a text of a format that JSON Schema names.
fn of_format(format: &str, nth: usize) -> Option<String> {
    let n = nth % 28 + 1;
    Some(match format {
        "date-time" => format!("2026-01-{n:02}T12:00:00Z"),
        "date" => format!("2026-01-{n:02}"),
        "time" => format!("12:00:{n:02}Z"),
        "duration" => format!("P{n}D"),
        "email" | "idn-email" => format!("user{n}@example.com"),
        "hostname" | "idn-hostname" => format!("host{n}.example.com"),
        "ipv4" => format!("192.0.2.{n}"),
        "ipv6" => format!("2001:db8::{n:x}"),
        "uri" | "iri" | "url" => format!("https://example.com/{n}"),
        "uri-reference" | "iri-reference" => format!("/{n}"),
        "uri-template" => "https://example.com/{id}".to_owned(),
        "uuid" => format!("123e4567-e89b-42d3-a456-4266141740{n:02}"),
        "json-pointer" => format!("/items/{n}"),
        "relative-json-pointer" => format!("{n}/name"),
        "regex" => "^[a-z]+$".to_owned(),
        "byte" => "ZXhhbXBsZQ==".to_owned(),
        _ => return None,
    })
}

//! The texts of errors, within bounds.

use super::{
    allowed::{self, AllowedValues},
    limits::{ERROR_CHARS, ERRORS_TOLD, VALUE_CHARS},
};
use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;
use std::fmt::{self, Display, Write};

/// Describes the errors of a value.
pub(super) fn of_errors(errors: &[ValidationError<'_>], whole: &Value) -> String {
    let mut text = String::new();
    for error in errors.iter().take(ERRORS_TOLD) {
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(&of_error(error, whole));
    }
    match errors.len().saturating_sub(ERRORS_TOLD) {
        0 => {}
        more => drop(write!(text, "; and {more} more")),
    }
    text
}

/// Describes an error: the place, the value and what was expected of it.
fn of_error(error: &ValidationError<'_>, whole: &Value) -> String {
    let place = error.instance_path().as_str();
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } =
        error.kind()
        && let Some(meant) = allowed::of_meant_branch(place, context)
    {
        return of_error(meant, whole);
    }
    match allowed::of_error(error) {
        Some(allowed) if allowed.values.len() > 1 => at(allowed.place, &not_one_of(&allowed, whole)),
        _ => at(place, &problem(error, whole)),
    }
}

/// Describes a problem after its place.
fn at(place: &str, problem: &str) -> String {
    let text = match place {
        "" => problem.to_owned(),
        place => format!("{}: {problem}", cut(place, VALUE_CHARS)),
    };
    cut(&text, ERROR_CHARS)
}

/// Returns the value at a place. An error does not hold its value: see `MeteredValue::to_value`.
fn value_at(place: &str, whole: &Value) -> String {
    cut_json(whole.pointer(place).unwrap_or(&Value::Null))
}

/// Describes the problem of an error.
fn problem(error: &ValidationError<'_>, whole: &Value) -> String {
    let value = value_at(error.instance_path().as_str(), whole);
    match error.kind() {
        ValidationErrorKind::AdditionalItems { limit } => {
            format!("{value} has more than {limit} items")
        }
        ValidationErrorKind::PropertyNames { error } => {
            let name = cut_json(error.instance());
            format!("name of a member: {}", cut_display(&error.masked_with(name), ERROR_CHARS))
        }
        ValidationErrorKind::FalseSchema => format!("{value} is not allowed"),
        _ => cut_display(&error.masked_with(value), ERROR_CHARS),
    }
}

/// Names as many of the allowed values as an error has room for, and counts the others.
fn not_one_of(allowed: &AllowedValues<'_>, whole: &Value) -> String {
    let mut text = format!("{} is not one of ", value_at(allowed.place, whole));
    let place = allowed.place.chars().take(VALUE_CHARS).count();
    let room = ERROR_CHARS.saturating_sub(place + " or 10000 others".len() + 2);
    let count = allowed.values.len();
    for (n, value) in allowed.values.iter().enumerate() {
        let value = cut_json(value);
        if n > 0 && text.chars().count() + " or ".len() + value.chars().count() > room {
            let _ = write!(text, " or {} others", count - n);
            break;
        }
        match n {
            0 => {}
            n if n + 1 == count => text.push_str(" or "),
            _ => text.push_str(", "),
        }
        text.push_str(&value);
    }
    text
}

/// Returns the place of an error: that of the value, or of the member that is missing; `None` for the whole value.
pub(super) fn place(error: &ValidationError<'_>) -> Option<String> {
    let mut place = error.instance_path().as_str().to_owned();
    if let ValidationErrorKind::Required { property } = error.kind() {
        place.push('/');
        place.push_str(property.as_str().unwrap_or_default());
    }
    place.strip_prefix('/').map(|place| cut(place, VALUE_CHARS))
}

/// Cuts a text to the length shown in an error.
pub(super) fn cut(text: &str, chars: usize) -> String {
    cut_display(&text, chars)
}

/// Cuts a value, as JSON, to the length shown in an error.
pub(super) fn cut_json(value: &Value) -> String {
    cut_display(value, VALUE_CHARS)
}

/// Cuts a value's display to the length shown in an error; the rest is never formatted.
pub(super) fn cut_display(value: &impl Display, chars: usize) -> String {
    let mut cut = Cut { text: String::new(), left: chars };
    if write!(cut, "{value}").is_err() {
        cut.text.push('…');
    }
    cut.text
}

struct Cut {
    text: String,
    left: usize,
}

impl Write for Cut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(character);
        }
        Ok(())
    }
}

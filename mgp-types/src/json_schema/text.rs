//! The texts of errors, within bounds.

use super::limits::{ERROR_CHARS, ERRORS_TOLD, VALUE_CHARS};
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
    let at = error.instance_path().as_str();
    // The error does not hold its value: see `MeteredValue::to_value`.
    let value = cut_json(whole.pointer(at).unwrap_or(&Value::Null));
    let problem = match error.kind() {
        ValidationErrorKind::AdditionalItems { limit } => {
            format!("{value} has more than {limit} items")
        }
        ValidationErrorKind::PropertyNames { error } => {
            let name = cut_json(error.instance());
            format!("name of a member: {}", cut_display(&error.masked_with(name), ERROR_CHARS))
        }
        ValidationErrorKind::FalseSchema => format!("{value} is not allowed"),
        _ => cut_display(&error.masked_with(value), ERROR_CHARS),
    };
    let text = match at {
        "" => problem,
        at => format!("{}: {problem}", cut(at, VALUE_CHARS)),
    };
    cut(&text, ERROR_CHARS)
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

/// Returns as much of a text as an error shows.
pub(super) fn cut(text: &str, chars: usize) -> String {
    cut_display(&text, chars)
}

/// Returns as much of a value, as JSON, as an error shows.
pub(super) fn cut_json(value: &Value) -> String {
    cut_display(value, VALUE_CHARS)
}

/// Returns as much of a value's display as an error shows; the rest is not even written.
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

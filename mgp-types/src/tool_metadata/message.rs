//! The confirmation message of a tool, filled with the arguments of a call.

use crate::{
    json::{RawJson, RawObject},
    printable::printable,
};

/// The longest value that replaces one placeholder, in characters.
const MAX_FILLED: usize = 200;

/// The longest message, in characters.
const MAX_MESSAGE: usize = 2000;

/// Returns a confirmation message with each `{parameter}` replaced by the argument with that name. A placeholder without an argument is
/// unchanged, and an argument is never searched for placeholders. Control characters and invisible ones are escaped by number, as
/// [`printable`] does; a text that is too long ends in `…`.
///
/// ```
/// use mgp_types::{json::RawObject, tool_metadata::fill_confirmation};
/// let arguments = RawObject::parse(r#"{"name":"{force}","count":3}"#)?;
/// let message = fill_confirmation("Deletes {count} copies of '{name}', {force}.", &arguments);
/// assert_eq!(message, "Deletes 3 copies of '{force}', {force}.");
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[must_use]
pub fn fill_confirmation(message: &str, arguments: &RawObject) -> String {
    let mut filled = String::new();
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        match after.split_once('}').and_then(|(name, after)| Some((arguments.get(name)?, after))) {
            Some((value, after)) => {
                filled.push_str(&shown(value));
                rest = after;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
        if filled.len() > MAX_MESSAGE * 4 {
            break;
        }
    }
    filled.push_str(rest);
    shortened(&printable(&filled), MAX_MESSAGE)
}

/// Returns a value as the message shows it: a string without its quotes, on one line.
fn shown(value: &RawJson) -> String {
    let text = value.to_text().unwrap_or_else(|| value.as_str().to_owned());
    shortened(&text, MAX_FILLED).replace('\n', " ")
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(message: &str, arguments: &'static str) -> String {
        fill_confirmation(message, &RawObject::parse(arguments).unwrap())
    }

    #[test]
    fn placeholders_are_filled_once_and_others_stay() {
        for (message, arguments, expected) in [
            ("Delete {a}?", r#"{"a":"x"}"#, "Delete x?"),
            ("{a}{a}{b}", r#"{"a":"{b}","b":[1,2]}"#, "{b}{b}[1,2]"),
            ("{missing} {", r#"{"a":1}"#, "{missing} {"),
            ("{ {a}", r#"{"a":true}"#, "{ true"),
            ("}{a", r#"{"a":1}"#, "}{a"),
            ("", "{}", ""),
        ] {
            assert_eq!(filled(message, arguments), expected, "{message}");
        }
    }

    #[test]
    fn nothing_hides_or_grows_without_bound() {
        assert_eq!(filled("{a}", r#"{"a":"x\u001b[2J\u202e\nApproved."}"#), r"x\u{1b}[2J\u{202e} Approved.");
        let long = RawObject::from_iter([("a", RawJson::string(&"x".repeat(10_000)))]);
        assert_eq!(fill_confirmation("{a}", &long).chars().count(), MAX_FILLED + 1);
        assert_eq!(fill_confirmation(&"{a}".repeat(10_000), &long).chars().count(), MAX_MESSAGE + 1);
    }
}

//! A configuration's text without its keys, for people who may read the rest. The text need not be valid.

use super::key::{looks_like_key, split_scheme};
use std::{borrow::Cow, ops::Range};

/// The text that replaces a key.
const MASK: &str = "***";

/// The shortest key that a message is searched for, in bytes. Shorter ones are words of any text.
const MIN_KEY: usize = 4;

/// Members of a server's `auth` that hold keys, whatever their form is.
const KEYS: [&str; 3] = ["api_key", "bearer", "client_secret"];

/// Returns a text in TOML with `***` for each written value that looks like a key, also in comments. References such as
/// `${keyring:NAME}`, and hashes of keys, stay. Each line keeps its number.
pub(crate) fn masked_text(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    for key in keys(text) {
        masked.push_str(&text[at..key.start]);
        masked.push_str(MASK);
        masked.extend(std::iter::repeat_n('\n', text[key.clone()].matches('\n').count()));
        at = key.end;
    }
    masked.push_str(&text[at..]);
    masked
}

/// Returns a text as [`masked_text`] does, with as many bytes and lines as before, for errors that show places in it.
pub(crate) fn masked_in_place(text: &str) -> String {
    let mut masked = text.to_owned();
    for key in keys(text) {
        let stars: String =
            text[key.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { '*' }).collect();
        masked.replace_range(key, &stars);
    }
    masked
}

/// Returns a message about a text without the keys of the text.
pub(crate) fn masked_message(message: &str, text: &str) -> String {
    let mut keys: Vec<_> = keys(text).map(|key| &text[key]).filter(|key| key.len() >= MIN_KEY).collect();
    // A key that contains another is masked as a whole.
    keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
    keys.iter().fold(message.to_owned(), |message, key| message.replace(key, MASK))
}

/// Returns the places of values that look like keys.
fn keys(text: &str) -> impl Iterator<Item = Range<usize>> {
    Strings::new(text).filter_map(|found| {
        let kept = kept_before(&found.name, &text[found.value.clone()])?;
        Some(found.value.start + kept..found.value.end)
    })
}

/// Returns the length of the part of a value that stays in front of its key; `None` if the value holds no key.
fn kept_before(name: &str, value: &str) -> Option<usize> {
    let literal = without_references(value);
    let is_hash = name.ends_with("sha256") || name.ends_with("hash");
    let (before, secret) = split_scheme(value);
    let is_key = KEYS.contains(&name) && !split_scheme(&literal).1.trim().is_empty();
    let is_secret = is_key || !is_hash && !literal.trim().is_empty() && looks_like_key(name, &literal);
    (is_secret && !secret.is_empty()).then_some(before.len())
}

/// Returns a value without its references to variables and secrets.
fn without_references(value: &str) -> Cow<'_, str> {
    let mut rest = value;
    let mut literal = String::new();
    while let Some(start) = rest.find("${") {
        let is_escaped = rest[..start].ends_with('$');
        let Some(length) = rest[start..].find('}').filter(|_| !is_escaped) else {
            literal.push_str(&rest[..start + 2]);
            rest = &rest[start + 2..];
            continue;
        };
        literal.push_str(&rest[..start]);
        rest = &rest[start + length + 1..];
    }
    if literal.is_empty() && rest.len() == value.len() {
        return Cow::Borrowed(value);
    }
    literal.push_str(rest);
    Cow::Owned(literal)
}

/// A string in the text, with the name that it belongs to.
struct NamedString {
    /// The key before it, or the option before it in a list of arguments.
    name: String,
    /// The place of the text between the quotation marks.
    value: Range<usize>,
}

/// The strings of a text.
struct Strings<'a> {
    text: &'a str,
    at: usize,
    /// The last key before `=`.
    key: &'a str,
    /// The last string or bare word, which is a key if `=` follows.
    word: &'a str,
    /// The option before a value in a list of arguments.
    option: &'a str,
    /// True in a comment, in which a string ends with its line.
    is_comment: bool,
}

impl<'a> Strings<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, key: "", word: "", option: "", is_comment: false }
    }

    /// Returns the place between the quotation marks of a string that starts here, and the place after it.
    fn string(&self, quote: char) -> (Range<usize>, usize) {
        let rest = &self.text[self.at..];
        let triple = if quote == '"' { "\"\"\"" } else { "'''" };
        let is_long = rest.starts_with(triple) && !self.is_comment;
        let mark = if is_long { triple } else { &triple[..1] };
        let start = self.at + mark.len();
        let body = &self.text[start..];
        let mut is_escaped = false;
        for (place, c) in body.char_indices() {
            if is_escaped {
                is_escaped = false;
            } else if c == '\\' && quote == '"' {
                is_escaped = true;
            } else if c == '\n' && !is_long {
                return (start..start + place, start + place);
            } else if body[place..].starts_with(mark) {
                return (start..start + place, start + place + mark.len());
            }
        }
        (start..self.text.len(), self.text.len())
    }
}

impl Iterator for Strings<'_> {
    type Item = NamedString;

    fn next(&mut self) -> Option<NamedString> {
        while let Some(c) = self.text[self.at..].chars().next() {
            match c {
                // An apostrophe in a comment.
                '\'' if self.is_comment && self.text[..self.at].ends_with(char::is_alphanumeric) => {}
                '"' | '\'' => {
                    let (value, end) = self.string(c);
                    let (option, word) = (self.option, &self.text[value.clone()]);
                    (self.word, self.at) = (word, end);
                    self.option = if word.starts_with('-') { word.trim_start_matches('-') } else { "" };
                    let name = if option.is_empty() { self.key } else { option };
                    return Some(NamedString { name: name.to_owned(), value });
                }
                '=' => (self.key, self.option) = (self.word, ""),
                '#' => self.is_comment = true,
                '\n' => self.is_comment = false,
                c if is_bare(c) => {
                    let rest = &self.text[self.at..];
                    let length = rest.find(|c| !is_bare(c)).unwrap_or(rest.len());
                    self.word = &rest[..length];
                    self.at += length;
                    continue;
                }
                _ => {}
            }
            self.at += c.len_utf8();
        }
        None
    }
}

fn is_bare(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_masked_wherever_they_are_written() {
        for (text, expected) in [
            ("env = { GITHUB_TOKEN = \"hunter2\" }", "env = { GITHUB_TOKEN = \"***\" }"),
            ("env.\"GITHUB_TOKEN\" = 'hunter2' # mine", "env.\"GITHUB_TOKEN\" = '***' # mine"),
            ("# it's old: API_KEY = \"hunter2\"\nid = \"a\"", "# it's old: API_KEY = \"***\"\nid = \"a\""),
            ("# it's old: API_KEY = 'hunter2'", "# it's old: API_KEY = '***'"),
            ("Authorization = \"Bearer abc\"", "Authorization = \"Bearer ***\""),
            ("bearer = \"true\"", "bearer = \"***\""),
            ("url = \"postgres://u:p@db/x\"", "url = \"***\""),
            ("args = [\"--token\", \"hunter2\", \"x\"]", "args = [\"--token\", \"***\", \"x\"]"),
            ("API_KEY = \"a \\\" b\"\nid = \"c\"", "API_KEY = \"***\"\nid = \"c\""),
            ("API_KEY = \"\"\"\na\nb\"\"\"\nx = 1", "API_KEY = \"\"\"***\n\n\"\"\"\nx = 1"),
            ("API_KEY = \"never closed\nid = \"c\"", "API_KEY = \"***\nid = \"c\""),
            ("API_KEY = \"pre${X}\"", "API_KEY = \"***\""),
        ] {
            assert_eq!(masked_text(text), expected, "{text}");
            let in_place = masked_in_place(text);
            let lengths = |text: &str| text.split('\n').map(str::len).collect::<Vec<_>>();
            assert_eq!(lengths(&in_place), lengths(text), "{in_place}");
            // Nothing but the number of the stars differs.
            let without_stars = |text: &str| text.replace('*', "");
            assert_eq!(without_stars(&in_place), without_stars(expected), "{text}");
        }
    }

    #[test]
    fn a_message_shows_no_key_of_its_text() {
        let text = "API_KEY = \"hunter2\"\nTOKEN = \"hunter2-long\"\nX_TOKEN = \"abc\"";
        let message = "\"hunter2-long\" and \"hunter2\" are not abc";
        assert_eq!(masked_message(message, text), "\"***\" and \"***\" are not abc");
    }

    #[test]
    fn the_rest_of_a_text_stays() {
        for text in [
            "[[servers]]\nid = \"github\"\ncommand = \"npx\"\nargs = [\"-y\", \"@scope/name\"]\n",
            "env = { GITHUB_TOKEN = \"${keyring:github}\", PATH = \"/usr/bin\" }",
            "Authorization = \"Bearer ${GITHUB_TOKEN}\"",
            "key_sha256 = \"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"",
            "not toml \u{fc} \" at all",
            "",
        ] {
            assert_eq!(masked_text(text), text);
        }
    }
}

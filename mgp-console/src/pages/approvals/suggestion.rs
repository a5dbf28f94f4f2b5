//! A pattern that a call suggests.

use serde_json::Value;

/// The characters besides letters and digits that `*` stands for.
const PLAIN: &str = " _-./:,=@+~";
/// The longest text that is looked at, in bytes.
const LONGEST: usize = 2000;

/// Returns a pattern for the first argument that has one: `git log *` for `git log --oneline -5`, `git log` for itself, and `/srv/*` for
/// `/srv/a.txt`. If there are several arguments, it names its own. A program with any arguments is never suggested.
pub(super) fn suggestion(arguments: &str) -> Option<String> {
    let arguments: serde_json::Map<String, Value> = serde_json::from_str(arguments).ok()?;
    let texts = arguments.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
    let (name, pattern) = texts.into_iter().find_map(|(name, text)| Some((name, of_text(text)?)))?;
    let is_named = arguments.len() > 1 && is_plain(name);
    match arguments.len() {
        1 => Some(pattern),
        _ => is_named.then(|| format!("{name}={pattern}")),
    }
}

fn of_text(text: &str) -> Option<String> {
    if text.len() > LONGEST || !is_plain(text) || text.contains("..") {
        return None;
    }
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        [command, first, _, ..] => Some(format!("{command} {first} *")),
        [_, _] => Some(text.to_owned()),
        _ => text.rsplit_once('/').map(|(folder, _)| format!("{folder}/*")),
    }
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || PLAIN.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_suggested_for_plain_texts_only() {
        for (arguments, expected) in [
            (r#"{"command":"git log --oneline -5"}"#, Some("git log *")),
            (r#"{"command":"git log"}"#, Some("git log")),
            (r#"{"command":"rm -rf /tmp/x"}"#, Some("rm -rf *")),
            (r#"{"n":1,"path":"/srv/a/b.txt"}"#, Some("path=/srv/a/*")),
            (r#"{"path":"/srv/../etc"}"#, None),
            (r#"{"command":"git log; rm -r /"}"#, None),
            (r#"{"command":"git log \u202e x"}"#, None),
            (r#"{"word":"one"}"#, None),
            (r#"{"id":7}"#, None),
            ("[1]", None),
        ] {
            assert_eq!(suggestion(arguments).as_deref(), expected, "{arguments}");
        }
    }
}

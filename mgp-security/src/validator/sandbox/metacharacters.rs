//! Characters with a meaning to a shell, and the words between them.

/// Returns a description of the first metacharacter in a text.
pub(super) fn find(text: &str) -> Option<&'static str> {
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let found = match c {
            ';' => "a command separator (;)",
            '|' => "a pipe (|)",
            '&' => "a background or and operator (&)",
            '<' | '>' => "a redirection (< or >)",
            '`' => "a command substitution (back quote)",
            '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => "a line break",
            '\0' => "a NUL character",
            '$' => match rest.peek() {
                Some('(') => "a command substitution ($())",
                Some('{' | '\'' | '"' | '_' | '@' | '*' | '!') => "an expansion ($)",
                Some(c) if c.is_ascii_alphabetic() => "an expansion ($)",
                _ => continue,
            },
            _ => continue,
        };
        return Some(found);
    }
    let packed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    packed.contains("(){").then_some("a function definition")
}

/// Returns the words of a text as a shell splits them, or `None` if quotes do not close.
pub(super) fn words(text: &str) -> Option<Vec<String>> {
    // Not every reader takes `#` as the start of a comment, so the text behind it is split too. A line break is
    // refused already, and would only join two words here.
    let text = text.replace('#', " ").replace(['\n', '\r'], " ");
    let words = shlex::split(&text)?;
    Some(
        words
            .into_iter()
            .flat_map(|word| word.split(char::is_whitespace).map(str::to_owned).collect::<Vec<_>>())
            .map(|word| word.trim_matches(|c| "(){}!".contains(c)).to_lowercase())
            .filter(|word| !word.is_empty())
            .collect(),
    )
}

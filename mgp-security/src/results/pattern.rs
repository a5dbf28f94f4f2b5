//! Compiles patterns that are written for Go's `regexp`.

use regex::bytes as over_bytes;

/// A compiled pattern, which matches texts that need not be UTF-8.
pub(super) type Pattern = over_bytes::Regex;

/// The most memory of one pattern's lazily built automaton, in bytes.
const MAX_AUTOMATON: usize = 1 << 20;

/// Compiles a pattern in Go's syntax. As in Go, classes such as `\w` are limited to ASCII.
///
/// # Errors
/// The error in the pattern.
pub(super) fn compile(pattern: &str) -> Result<Pattern, regex::Error> {
    over_bytes::RegexBuilder::new(&translate(pattern)).unicode(false).dfa_size_limit(MAX_AUTOMATON).build()
}

/// Compiles patterns into one that matches if any of them does; `None` if there are none.
///
/// # Errors
/// The error in a pattern.
pub(super) fn compile_any(patterns: &[String]) -> Result<Option<Pattern>, regex::Error> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let any: Vec<_> = patterns.iter().map(|pattern| format!("(?:{pattern})")).collect();
    compile(&any.join("|")).map(Some)
}

/// Escapes characters that are literals in Go, but syntax in Rust: a brace that begins no repetition, and in a class a bracket and the
/// operators of sets.
fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let (mut rest, mut in_class) = (pattern, false);
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '[' if !in_class => {
                in_class = true;
                let negated = rest[1..].starts_with('^');
                out.push_str(if negated { "[^" } else { "[" });
                rest = &rest[1 + usize::from(negated)..];
                // A leading bracket is a literal.
                if rest.starts_with(']') {
                    out.push_str("\\]");
                    rest = &rest[1..];
                }
                continue;
            }
            '[' if rest.starts_with("[:") => rest.find(":]").map_or(1, |end| end + 2),
            '[' => {
                out.push('\\');
                1
            }
            ']' => {
                in_class = false;
                1
            }
            '&' | '~' | '-' if in_class && rest[1..].starts_with(c) => {
                out.push(c);
                out.push('\\');
                rest = &rest[1..];
                1
            }
            '{' if !in_class && !is_repetition(rest) => {
                out.push('\\');
                1
            }
            c => c.len_utf8(),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

/// Returns whether a text begins with a repetition such as `{3}`, `{3,}` or `{3,5}`.
fn is_repetition(text: &str) -> bool {
    let inside = text[1..].split_once('}').map(|(inside, _)| inside);
    inside.is_some_and(|inside| {
        inside.starts_with(|c: char| c.is_ascii_digit())
            && inside.chars().all(|c| c.is_ascii_digit() || c == ',')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_go_pattern_means_the_same_in_rust() {
        for (go, rust) in [
            (r"^\$(?:\d+|{\d+})$", r"^\$(?:\d+|\{\d+})$"),
            (r"\s{0,3}a{2,}b{4}", r"\s{0,3}a{2,}b{4}"),
            (r"import[ \t]+{[ \t\w,]+}", r"import[ \t]+\{[ \t\w,]+}"),
            (r"\[[^]]+]", r"\[[^\]]+]"),
            (r"[]a[]", r"[\]a\[]"),
            ("[[:alnum:]_]", "[[:alnum:]_]"),
            ("[a&&b~~c]", r"[a&\&b~\~c]"),
            (r"\{\{[^}]+}}", r"\{\{[^}]+}}"),
        ] {
            assert_eq!(translate(go), rust);
            assert!(compile(go).is_ok(), "{go}");
        }
        assert!(compile("[a&&b]").unwrap().is_match(b"&"));
        assert!(compile(r"{\d}").unwrap().is_match(b"{7}"));
    }

    #[test]
    fn any_of_several_patterns_matches() {
        let any = compile_any(&["^a$".to_owned(), "(?i)^B".to_owned()]).unwrap().unwrap();
        assert!(any.is_match(b"a") && any.is_match(b"bc") && !any.is_match(b"ac"));
        assert!(compile_any(&[]).unwrap().is_none());
    }
}

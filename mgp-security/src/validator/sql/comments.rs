//! Removes comments and the text of literals from SQL: comments could hide the first word of a statement, and literals do not matter.
//!
//! Dialects disagree on the end of comments and literals. A text is read in the usual way if all of them read it alike. In any other
//! text, nothing counts as a comment or a literal, and a statement may begin after every mark.

use crate::meter;

/// Returns a text with a blank instead of each comment, and with empty literals. If dialects disagree on the text, a semicolon replaces
/// every mark that may begin or end a comment.
pub(in crate::validator) fn code_alone(text: &str) -> String {
    meter::count(text.len());
    in_every_dialect(text).unwrap_or_else(|| as_code(text))
}

/// Returns the text without comments and literals, or `None` if dialects do not read it alike.
fn in_every_dialect(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut in_brackets) = (text, false);
    while let Some(first) = rest.chars().next() {
        let length = first.len_utf8();
        match first {
            // A literal with a custom end, in some dialects.
            '\'' if out.ends_with(['q', 'Q']) => return None,
            '\'' | '"' | '`' => {
                rest = &rest[literal_length(rest, first)?..];
                out.extend([first, first]);
                continue;
            }
            // A name in brackets, or an index: a mark inside is ambiguous.
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            // A comment in some dialects.
            '#' => return None,
            // The start of a literal in some dialects.
            '$' if rest[1..].starts_with(|c: char| c == '$' || c == '_' || c.is_alphabetic()) => return None,
            '-' if rest.starts_with("--") => {
                if in_brackets || rest[2..].starts_with(|c: char| !c.is_whitespace()) {
                    return None;
                }
                rest = rest.find('\n').map_or("", |end| &rest[end..]);
                out.push(' ');
                continue;
            }
            '/' if rest.starts_with("/*") => {
                let end = rest[2..].find("*/")?;
                let inside = &rest[2..2 + end];
                // Some dialects run the text of such a comment, and some nest comments.
                if in_brackets || inside.starts_with(['!', 'M']) || inside.contains("/*") {
                    return None;
                }
                rest = &rest[end + 4..];
                out.push(' ');
                continue;
            }
            _ => {}
        }
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Some(out)
}

/// Returns the length of the literal at the beginning of a text, in bytes. `None` if the literal does not end, or if a backslash may
/// escape its end.
fn literal_length(text: &str, quote: char) -> Option<usize> {
    let mut at = 1;
    loop {
        let end = at + text[at..].find([quote, '\\'])?;
        if text[end..].starts_with('\\') {
            return None;
        }
        at = end + 1;
        // A doubled quote is a literal quote.
        if !text[at..].starts_with(quote) {
            return Some(at);
        }
        at += 1;
    }
}

/// Returns the text with every mark as the end of a statement.
fn as_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mark = ["/*", "*/", "--", "#", "\n"].into_iter().find(|mark| rest.starts_with(mark));
        let Some(mark) = mark else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        out.push(';');
        rest = &rest[mark.len()..];
        if let Some(version) = rest.strip_prefix("M!").or_else(|| rest.strip_prefix('!'))
            && mark == "/*"
        {
            rest = version.trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_all_dialects_read_alike_loses_its_comments() {
        for (text, plain) in [
            ("select 1 -- one\n, 2", "select 1  \n, 2"),
            ("select /* a ' quote */ 1", "select   1"),
            ("select '--', \"/*\", `--` --", "select '', \"\", ``  "),
            ("select 'it''s -- here' -- there", "select ''  "),
            ("select 'a'; drop table \"t\"", "select ''; drop table \"\""),
            ("select a[1], $1 from [t]", "select a[1], $1 from [t]"),
            ("é -- é", "é  "),
            ("select a[1] -- one", "select a[1]  "),
            ("select $1 -- one", "select $1  "),
            ("select 1 - 1 -- none", "select 1 - 1  "),
        ] {
            assert_eq!(code_alone(text), plain);
        }
    }

    #[test]
    fn nothing_is_hidden_if_dialects_disagree() {
        for text in [
            "'\\' -- '; vacuum",
            "1 # '\n vacuum",
            "$$'$$; vacuum --'",
            "1 --'\n vacuum",
            "/* /* */ vacuum; */",
            "/*!50000 vacuum */",
            "/*M! vacuum */",
            "[--]; vacuum",
            "'open; vacuum",
            "/* open; vacuum",
            "q'[a']'; vacuum --'",
            "1 # '\n vacuum '",
            "$q$'$q$; vacuum --'",
            "$_$'$_$; vacuum --'",
            "[-- ]; vacuum",
        ] {
            let code = code_alone(text);
            assert!(
                code.split(';').any(|statement| statement.trim().starts_with("vacuum")),
                "{text}: {code}"
            );
        }
    }
}

//! Identifiers and strings as JavaScript reads them.

use std::borrow::Cow;

/// Returns a text with its escapes decoded. Identifiers, which only have Unicode escapes, are decoded as well.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        result.push_str(before);
        let (escaped, length) = escape(after);
        result.extend(escaped);
        rest = &after[length..];
    }
    result.push_str(rest);
    Cow::Owned(result)
}

/// Returns the character of an escape, and its length after the backslash, in bytes.
fn escape(after: &str) -> (Option<char>, usize) {
    let Some(first) = after.chars().next() else { return (None, 0) };
    let hexadecimal = |from: usize, length: usize| {
        let digits = after.get(from..from + length)?;
        Some((u32::from_str_radix(digits, 16).ok().and_then(char::from_u32), from + length))
    };
    let plain = (Some(first), first.len_utf8());
    match first {
        'x' => hexadecimal(1, 2).unwrap_or(plain),
        'u' if after[1..].starts_with('{') => match after.find('}') {
            Some(end) => {
                let code = u32::from_str_radix(&after[2..end], 16);
                (code.ok().and_then(char::from_u32), end + 1)
            }
            None => plain,
        },
        'u' => hexadecimal(1, 4).unwrap_or(plain),
        '0'..='7' => {
            let length = after.bytes().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count();
            (u32::from_str_radix(&after[..length], 8).ok().and_then(char::from_u32), length)
        }
        'n' => (Some('\n'), 1),
        't' => (Some('\t'), 1),
        'b' | 'f' | 'r' | 'v' => (Some(' '), 1),
        '\n' => (None, 1),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_as_javascript_reads_them() {
        assert_eq!(decoded(r"\x65v\u0061\154\q\u{65}\u"), "evalqeu");
        assert_eq!(decoded("e\\\nval"), "eval");
        assert_eq!(decoded("größe"), "größe");
    }
}

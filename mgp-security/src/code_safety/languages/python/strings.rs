//! Identifiers and strings as Python reads them.

use icu_normalizer::ComposingNormalizerBorrowed;
use std::borrow::Cow;

/// Returns an identifier in the form in which Python compares it.
pub(super) fn normal(identifier: &str) -> String {
    normalized(identifier).into_owned()
}

/// Returns whether Python reads an identifier as a different name.
pub(super) fn is_disguised(identifier: &str) -> bool {
    !identifier.is_ascii() && normalized(identifier) != identifier
}

/// Returns an identifier in the form in which Python compares it, copied only if the form differs.
pub(super) fn normalized(identifier: &str) -> Cow<'_, str> {
    if identifier.is_ascii() {
        return Cow::Borrowed(identifier);
    }
    ComposingNormalizerBorrowed::new_nfkc().normalize(identifier)
}

/// Returns the text of a literal's content, or `None` if an escape names a character.
pub(super) fn decoded(content: &str, raw: bool) -> Option<String> {
    if raw || !content.contains('\\') {
        return Some(content.to_owned());
    }
    let mut text = String::with_capacity(content.len());
    let mut rest = content;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let mut chars = after.chars();
        let Some(first) = chars.next() else { break };
        rest = chars.as_str();
        let digits = match first {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            'N' => return None,
            '\n' => continue,
            '0'..='7' => {
                let length = after.bytes().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count();
                text.push(u32::from_str_radix(&after[..length], 8).ok().and_then(char::from_u32)?);
                rest = &after[length..];
                continue;
            }
            'n' => {
                text.push('\n');
                continue;
            }
            't' => {
                text.push('\t');
                continue;
            }
            '\\' | '\'' | '"' => {
                text.push(first);
                continue;
            }
            other => {
                text.extend(['\\', other]);
                continue;
            }
        };
        let code = rest.get(..digits)?;
        text.push(u32::from_str_radix(code, 16).ok().and_then(char::from_u32)?);
        rest = &rest[digits..];
    }
    text.push_str(rest);
    Some(text)
}

/// Returns whether a text would read internals if it were used as a format.
pub(super) fn reads_internals(text: &str) -> bool {
    let internal = [".__", "[__", ".gi_", ".f_", ".cr_", ".ag_", ".tb_", "._"];
    // A closing brace may be part of an index, so a field is not cut there.
    text.split_once('{').is_some_and(|(_, fields)| internal.iter().any(|start| fields.contains(start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_compatible_letters_are_read_as_python_reads_them() {
        assert_eq!(decoded(r"\x65v\u0061\154\t\q", false).unwrap(), "eval\t\\q");
        assert_eq!(decoded(r"\x65", true).unwrap(), r"\x65");
        assert_eq!(decoded(r"\N{BULLET}", false), None);
        assert_eq!(
            (normal("ｅval"), is_disguised("ｅval"), is_disguised("größe")),
            ("eval".to_owned(), true, false)
        );
    }
}

//! Cuts a text that a parser has accepted into its members, or one item out of it.

use super::{RawJson, keys};
use bytes::Bytes;
use std::ops::Range;

/// Returns the members of an object, as slices of its text.
///
/// The text is valid JSON, so only the boundaries of its members are searched. Returns `None` for a text that is not
/// cut here, such as one with escapes in a key, or a value that is not an object; the parser then reads it.
pub(super) fn members(text: &Bytes) -> Option<Vec<(Bytes, RawJson)>> {
    let mut members = Vec::with_capacity(4);
    let mut rest = blanks(text.strip_prefix(b"{")?);
    if rest == b"}" {
        return Some(members);
    }
    loop {
        let key = key_length(rest)?;
        let value = blanks(blanks(&rest[key..]).strip_prefix(b":")?);
        let end = value_length(value)?;
        let key = &rest[1..key - 1];
        members.push((keys::keep(text, key), RawJson::from_checked(keys::keep_value(text, &value[..end]))));
        rest = blanks(&value[end..]);
        match rest {
            [b',', more @ ..] => rest = blanks(more),
            [b'}'] => return Some(members),
            _ => return None,
        }
    }
}

/// Returns the keys in the start of an object that ends before one of its keys. Returns `None` for a text that is not cut here, such as one
/// with escapes in a key.
pub(crate) fn keys_before_key(text: &[u8]) -> Option<Vec<&[u8]>> {
    let mut keys = Vec::with_capacity(4);
    let mut rest = blanks(text.strip_prefix(b"{")?);
    while !rest.is_empty() {
        let key = key_length(rest)?;
        keys.push(&rest[1..key - 1]);
        let value = blanks(blanks(&rest[key..]).strip_prefix(b":")?);
        rest = blanks(blanks(&value[value_length(value)?..]).strip_prefix(b",")?);
    }
    Some(keys)
}

/// Returns the range of an item in the text of an array. Only the boundaries of the items before it are searched.
///
/// Returns `None` for an index that is too high, and for a value that is not an array.
pub(super) fn item(text: &[u8], index: usize) -> Option<Range<usize>> {
    let mut rest = blanks(text.strip_prefix(b"[")?);
    if rest == b"]" {
        return None;
    }
    let mut before = index;
    loop {
        let length = value_length(rest)?;
        if before == 0 {
            let start = text.len() - rest.len();
            return Some(start..start + length);
        }
        before -= 1;
        rest = blanks(blanks(&rest[length..]).strip_prefix(b",")?);
    }
}

/// Returns the items of an array, as slices of its text. Returns `None` for a value that is not an array.
pub(crate) fn items(text: &Bytes) -> Option<Vec<RawJson>> {
    let mut items = Vec::new();
    let mut rest = blanks(text.strip_prefix(b"[")?);
    if rest == b"]" {
        return Some(items);
    }
    loop {
        let length = value_length(rest)?;
        items.push(RawJson::from_checked(text.slice_ref(&rest[..length])));
        rest = blanks(&rest[length..]);
        match rest {
            [b',', more @ ..] => rest = blanks(more),
            [b']'] => return Some(items),
            _ => return None,
        }
    }
}

/// Returns the text after leading white space.
pub(crate) fn blanks(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

/// Returns the length of the string at the start, including its quotes.
pub(crate) fn string(text: &[u8]) -> Option<usize> {
    text.strip_prefix(b"\"")?;
    let mut at = 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// Returns the length of the string at the start, including its quotes. Returns `None` for a string with escapes.
pub(crate) fn key_length(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"\"")?;
    memchr::memchr2(b'"', b'\\', rest).filter(|at| rest[*at] == b'"').map(|at| at + 2)
}

/// Returns the length of the value at the start.
pub(crate) fn value_length(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'"' => string(text),
        b'{' | b'[' => nested(text),
        _ => text.iter().position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t')),
    }
}

/// Returns the length of the array or object at the start.
fn nested(text: &[u8]) -> Option<usize> {
    let (mut depth, mut at) = (0usize, 0);
    loop {
        match text.get(at)? {
            b'"' => {
                at += string(&text[at..])?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &'static str) -> Option<Vec<(String, String)>> {
        let members = members(&Bytes::from_static(text.as_bytes()))?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Some(members.iter().map(|(key, value)| (text(key), text(value.as_bytes()))).collect())
    }

    #[test]
    fn an_object_is_split_like_a_parser_would() {
        let object = r#"{ "a" : [1,{"x":"}]\""}] ,"b":-1.5e3,"c":"\\","":null , "d":{"e":{}} }"#;
        let expected = [
            ("a", r#"[1,{"x":"}]\""}]"#),
            ("b", "-1.5e3"),
            ("c", r#""\\""#),
            ("", "null"),
            ("d", r#"{"e":{}}"#),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(cut(object).unwrap(), expected);
        assert_eq!(cut("{}").unwrap(), []);
        assert_eq!(cut("{ \n }").unwrap(), []);
    }

    #[test]
    fn an_item_is_split_like_a_parser_would() {
        let at = |text: &'static str, index: usize| item(text.as_bytes(), index).map(|place| &text[place]);
        let array = r#"[ [1,[2]] ,{"x":"}]\"[,"},"a,]\\",-1.5e3  ,"\"" , null,[ ],true ]"#;
        let expected =
            ["[1,[2]]", r#"{"x":"}]\"[,"}"#, r#""a,]\\""#, "-1.5e3", r#""\"""#, "null", "[ ]", "true"];
        let found: Vec<_> = (0..expected.len()).map_while(|index| at(array, index)).collect();
        assert_eq!(found, expected);
        for index in [expected.len(), expected.len() + 1, usize::MAX] {
            assert_eq!(at(array, index), None);
        }
        assert_eq!((at("[1]", 0), at("[1]", 1)), (Some("1"), None));
        let all: Vec<_> = items(&Bytes::from_static(array.as_bytes()))
            .unwrap()
            .iter()
            .map(|item| item.as_str().to_owned())
            .collect();
        assert_eq!(all, expected);
        for (text, count) in
            [("[]", Some(0)), ("[ \n ]", Some(0)), ("[1,[2]]", Some(2)), ("{}", None), ("[1", None)]
        {
            assert_eq!(items(&Bytes::from_static(text.as_bytes())).map(|items| items.len()), count, "{text}");
        }
        for text in ["[]", "[ \n ]", "{}", r#"{"0":1}"#, "1", r#""[1]""#, "["] {
            assert_eq!(at(text, 0), None, "{text}");
        }
    }

    #[test]
    fn anything_left_to_the_parser_is_not_cut() {
        for text in [
            "[1]",
            "1",
            r#"{"\u0061":1}"#,
            "{",
            r#"{"a"#,
            r#"{"a":"#,
            r#"{"a":1"#,
            r#"{"a":"b\"#,
            "{]",
            r#"{"a":1}x"#,
        ] {
            assert_eq!(cut(text), None, "{text}");
        }
    }
}

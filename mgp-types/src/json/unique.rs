//! The check for duplicate keys at any level. It runs on the text itself, without a tree, because every call passes it.

use super::{JsonError, MAX_DEPTH, RawJson, RawObject, depth::after_string};
use std::{borrow::Cow, collections::HashSet};

/// Refuses a value in which an object, at any level, holds a key twice, however the key is spelled: two readers could
/// interpret the object differently.
///
/// # Errors
/// [`JsonError::DuplicateKeyAt`], with the JSON pointer (RFC 6901) of the object, and [`JsonError::TooDeep`].
///
/// ```
/// use mgp_types::json::{RawJson, check_unique_keys};
/// let twice = RawJson::parse(r#"{"a":[1,{"to":"me","t\u006f":"you"}]}"#)?;
/// let error = check_unique_keys(&twice).unwrap_err();
/// assert_eq!(error.to_string(), r#"duplicate key "to" in the object at "/a/1""#);
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
pub fn check_unique_keys(json: &RawJson) -> Result<(), JsonError> {
    Scanner { rest: json.as_bytes() }.value(0).map_err(Problem::into_error)
}

impl RawObject {
    /// Refuses an object if an object inside one of its members, at any level, holds a key twice. The object itself never has duplicates.
    ///
    /// # Errors
    /// The errors of [`check_unique_keys`].
    pub fn check_unique_keys(&self) -> Result<(), JsonError> {
        for (key, value) in self.members() {
            Scanner { rest: value.as_bytes() }.value(1).map_err(|problem| {
                problem.inside(|| String::from_utf8_lossy(key).into_owned()).into_error()
            })?;
        }
        Ok(())
    }
}

/// The longest part of a key or a pointer that an error shows, in characters.
const SHOWN: usize = 200;

/// A problem in a value, with its path from the inside out.
enum Problem {
    TooDeep,
    Duplicate { key: String, path: Vec<String> },
}

impl Problem {
    fn inside(mut self, place: impl FnOnce() -> String) -> Self {
        if let Self::Duplicate { path, .. } = &mut self {
            path.push(place());
        }
        self
    }

    fn into_error(self) -> JsonError {
        match self {
            Self::TooDeep => JsonError::TooDeep { limit: MAX_DEPTH },
            Self::Duplicate { key, path } => {
                let mut pointer = String::new();
                for part in path.iter().rev() {
                    pointer.push('/');
                    pointer.push_str(&part.replace('~', "~0").replace('/', "~1"));
                }
                JsonError::DuplicateKeyAt { key: start(&key), pointer: start(&pointer) }
            }
        }
    }
}

fn start(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// Walks over a text that a parser has accepted; ends early on any other text.
struct Scanner<'a> {
    rest: &'a [u8],
}

impl<'a> Scanner<'a> {
    fn value(&mut self, depth: usize) -> Result<(), Problem> {
        match self.next() {
            Some(b'{' | b'[') if depth >= MAX_DEPTH => Err(Problem::TooDeep),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => {
                self.string();
                Ok(())
            }
            _ => {
                let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t');
                let end = self.rest.iter().position(ends).unwrap_or(self.rest.len());
                self.rest = &self.rest[end..];
                Ok(())
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), Problem> {
        let mut keys = Keys::default();
        // The opening bracket, and then each comma.
        while let Some(b'{' | b',') = self.next() {
            self.advance();
            if self.next() != Some(b'"') {
                break;
            }
            let key = self.string();
            if !keys.insert(key) {
                return Err(Problem::Duplicate { key: text(key).into_owned(), path: Vec::new() });
            }
            if self.next() != Some(b':') {
                break;
            }
            self.advance();
            self.value(depth + 1).map_err(|problem| problem.inside(|| text(key).into_owned()))?;
        }
        self.advance();
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Result<(), Problem> {
        let mut index = 0usize;
        while let Some(b'[' | b',') = self.next() {
            self.advance();
            if self.next() == Some(b']') {
                break;
            }
            self.value(depth + 1).map_err(|problem| problem.inside(|| index.to_string()))?;
            index += 1;
            if !matches!(self.next(), Some(b',')) {
                break;
            }
        }
        self.advance();
        Ok(())
    }

    /// Skips white space, and returns the byte after it.
    fn next(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn advance(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
    }

    /// Reads the next string, and returns the text between its quotes.
    fn string(&mut self) -> &'a [u8] {
        let (text, rest) = (self.rest, after_string(&self.rest[1..]));
        self.rest = rest;
        text.get(1..(text.len() - rest.len()).saturating_sub(1)).unwrap_or_default()
    }
}

/// Returns the text of a key, unescaped.
fn text(key: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'\\', key).is_some()
        && let Ok(text) = serde_json::from_slice(&[b"\"", key, b"\""].concat())
    {
        return Cow::Owned(text);
    }
    String::from_utf8_lossy(key)
}

/// The most keys of an object that are compared one by one.
const MAX_LINEAR: usize = 8;

/// The keys of an object: a few in place; many, or those with escapes, in a set.
#[derive(Default)]
struct Keys<'a> {
    few: [&'a [u8]; MAX_LINEAR],
    count: usize,
    many: Option<HashSet<Cow<'a, str>>>,
}

impl<'a> Keys<'a> {
    /// Adds a key. Returns whether the key is new.
    fn insert(&mut self, key: &'a [u8]) -> bool {
        if let Some(many) = &mut self.many {
            return many.insert(text(key));
        }
        let few = &self.few[..self.count];
        if self.count == MAX_LINEAR || memchr::memchr(b'\\', key).is_some() {
            let mut many: HashSet<_> = few.iter().map(|key| text(key)).collect();
            let is_new = many.insert(text(key));
            self.many = Some(many);
            return is_new;
        }
        if few.contains(&key) {
            return false;
        }
        self.few[self.count] = key;
        self.count += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read_deep;

    fn found(text: &str) -> Option<String> {
        check_unique_keys(&RawJson::parse(text.to_owned()).unwrap()).err().map(|error| error.to_string())
    }

    #[test]
    fn a_duplicate_key_is_named_with_its_position_at_any_level() {
        let many: Vec<_> = (0..20).map(|i| format!("\"k{i}\":1")).collect();
        let last_twice = format!("{{{},\"k19\":2}}", many.join(","));
        let first_twice = format!("[{{{},\"\\u006b0\":2}}]", many.join(" , "));
        for (text, expected) in [
            (r#"{"a":1,"a":2}"#, r#"duplicate key "a""#),
            (
                r#" [ 1 , { "x" : [ { "a" : 1 , "\u0061" : 2 } ] } ] "#,
                r#"duplicate key "a" in the object at "/1/x/0""#,
            ),
            (r#"{"a/b~":{"\"":1,"\u0022":{}}}"#, r#"duplicate key "\"" in the object at "/a~1b~0""#),
            (r#"[[],{},"a",{"":1,"":2}]"#, r#"duplicate key "" in the object at "/3""#),
            (&last_twice, r#"duplicate key "k19""#),
            (&first_twice, r#"duplicate key "k0" in the object at "/0""#),
        ] {
            assert_eq!(found(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn keys_that_only_look_alike_pass() {
        let many: Vec<_> = (0..40).map(|i| format!("\"k{i}\":{{\"k{i}\":1}}")).collect();
        for text in [
            "{}",
            "[]",
            "1",
            "null",
            r#""{\"a\":1,\"a\":2}""#,
            "[{ }, [ ] , -1.5e3,true]",
            r#"{"a":{"a":{"a":1}},"A":"a","a ":[{"a":1},{"a":2}]}"#,
            r#"{"a":"}","b":"\\","c":"\"","\u0064":1,"e":"{"}"#,
            &format!("{{{}}}", many.join(",")),
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn it_agrees_with_a_reader_of_the_whole_tree() {
        let pieces = [r#"{"a":1}"#, r#"{"a":1,"b":[{}]}"#, r#"{"b":{"a":1,"a":2}}"#, "[]", r#""a""#, "7"];
        for one in pieces {
            for two in pieces {
                for text in [
                    format!("[{one},{two}]"),
                    format!(r#"{{"x":{one},"y":{two}}}"#),
                    format!(r#"{{ "x" : [ {one} ] , "x" : {two} }}"#),
                ] {
                    let json = RawJson::parse(text.clone()).unwrap();
                    let deep = matches!(read_deep(&json), Err(JsonError::DuplicateKey(_)));
                    assert_eq!(check_unique_keys(&json).is_err(), deep, "{text}");
                }
            }
        }
    }

    #[test]
    fn members_are_searched_and_errors_show_a_bounded_part() {
        let object = RawObject::parse(r#"{"name":"a","arguments":{"x":{"a":1,"a":2}}}"#).unwrap();
        let error = object.check_unique_keys().unwrap_err().to_string();
        assert_eq!(error, r#"duplicate key "a" in the object at "/arguments/x""#);
        let long = "k".repeat(5000);
        assert!(found(&format!(r#"{{"{long}":{{"{long}":1,"{long}":2}}}}"#)).unwrap().len() < 500);
    }

    #[test]
    fn nesting_up_to_the_limit_is_walked() {
        let deep = format!("{}1{}", r#"{"a":"#.repeat(MAX_DEPTH), "}".repeat(MAX_DEPTH));
        assert_eq!(found(&deep), None);
        let members = RawObject::parse(deep).unwrap();
        assert_eq!(members.check_unique_keys(), Ok(()));
    }
}

//! The canonical form of JSON texts, by which texts with the same meaning are recognized.

use super::{MAX_DEPTH, RawJson};

impl RawJson {
    /// Returns the canonical form of the value, for hashes: its members in the order of their keys, each string with the same escapes,
    /// and no white space.
    ///
    /// Numbers are kept as they are written. So is an object that holds a key twice: readers could interpret it differently, so only the
    /// identical text has the same form.
    ///
    /// ```
    /// use mgp_types::json::RawJson;
    /// let value = RawJson::parse(r#"{ "b": [1, 2], "a": "\u0078" }"#)?;
    /// assert_eq!(value.canonical(), br#"{"a":"x","b":[1,2]}"#);
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.as_bytes().len());
        match (Scanner { text: self.as_bytes(), at: 0 }).value(0) {
            Some(value) => value.write(&mut text),
            None => text.extend_from_slice(self.as_bytes()),
        }
        text
    }
}

/// A parsed JSON value, with all its levels.
enum Value<'a> {
    /// A text that is kept unchanged.
    Raw(&'a [u8]),
    String(String),
    Array(Vec<Value<'a>>),
    /// The members in the order of their keys.
    Object(Vec<(String, Value<'a>)>),
}

impl Value<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Raw(text) => out.extend_from_slice(text),
            Self::String(text) => out.extend_from_slice(RawJson::string(text).as_bytes()),
            Self::Array(items) => {
                out.push(b'[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    item.write(out);
                }
                out.push(b']');
            }
            Self::Object(members) => {
                out.push(b'{');
                for (i, (key, value)) in members.iter().enumerate() {
                    if i > 0 {
                        out.push(b',');
                    }
                    out.extend_from_slice(RawJson::string(key).as_bytes());
                    out.push(b':');
                    value.write(out);
                }
                out.push(b'}');
            }
        }
    }
}

/// A reader of a text that a parser has accepted. Its methods return `None` if the text cannot be read after all, or is nested too deeply.
struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    fn value(&mut self, depth: usize) -> Option<Value<'a>> {
        match self.next()? {
            b'{' if depth < MAX_DEPTH => self.object(depth),
            b'[' if depth < MAX_DEPTH => self.array(depth),
            b'{' | b'[' => None,
            b'"' => {
                let text = self.string()?;
                Some(serde_json::from_slice(text).map_or(Value::Raw(text), Value::String))
            }
            _ => {
                let rest = &self.text[self.at..];
                let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t');
                let length = rest.iter().position(ends).unwrap_or(rest.len());
                self.at += length;
                (length > 0).then_some(Value::Raw(&rest[..length]))
            }
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value<'a>> {
        let start = self.at;
        let (mut members, mut readable) = (Vec::new(), true);
        self.at += 1;
        while self.next()? != b'}' {
            if self.next()? == b',' {
                self.at += 1;
                self.next()?;
            }
            let key = serde_json::from_slice::<String>(self.string()?);
            (self.next()? == b':').then_some(())?;
            self.at += 1;
            let value = self.value(depth + 1)?;
            readable &= key.is_ok();
            members.push((key.unwrap_or_default(), value));
        }
        self.at += 1;
        members.sort_by(|(a, _), (b, _)| a.cmp(b));
        readable &= members.windows(2).all(|two| two[0].0 != two[1].0);
        Some(if readable { Value::Object(members) } else { Value::Raw(&self.text[start..self.at]) })
    }

    fn array(&mut self, depth: usize) -> Option<Value<'a>> {
        let mut items = Vec::new();
        self.at += 1;
        while self.next()? != b']' {
            if self.next()? == b',' {
                self.at += 1;
            }
            items.push(self.value(depth + 1)?);
        }
        self.at += 1;
        Some(Value::Array(items))
    }

    /// Skips white space, and returns the byte after it.
    fn next(&mut self) -> Option<u8> {
        let blanks = self.text.get(self.at..)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += blanks;
        self.text.get(self.at).copied()
    }

    /// Reads a string, and returns it with its quotes.
    fn string(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        (*self.text.get(start)? == b'"').then_some(())?;
        let mut at = start + 1;
        loop {
            match self.text.get(at)? {
                b'"' => break,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        self.at = at + 1;
        Some(&self.text[start..self.at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::RawObject;

    /// Writes the same form, but parses each level again.
    fn write(value: &RawJson, out: &mut Vec<u8>) {
        match value.as_bytes().first() {
            Some(b'{') => match RawObject::from_json(value) {
                Ok(object) => object_members(&object, out),
                Err(_) => out.extend_from_slice(value.as_bytes()),
            },
            Some(b'[') => match value.decode::<Vec<RawJson>>() {
                Ok(items) => {
                    out.push(b'[');
                    for (i, item) in items.iter().enumerate() {
                        if i > 0 {
                            out.push(b',');
                        }
                        write(item, out);
                    }
                    out.push(b']');
                }
                Err(_) => out.extend_from_slice(value.as_bytes()),
            },
            Some(b'"') => match value.to_text() {
                Some(text) => out.extend_from_slice(RawJson::string(text.as_str()).as_bytes()),
                None => out.extend_from_slice(value.as_bytes()),
            },
            _ => out.extend_from_slice(value.as_bytes()),
        }
    }

    fn object_members(object: &RawObject, out: &mut Vec<u8>) {
        let mut members: Vec<_> = object.iter().collect();
        members.sort_unstable_by_key(|(key, _)| *key);
        out.push(b'{');
        for (i, (key, value)) in members.into_iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            out.extend_from_slice(RawJson::string(key).as_bytes());
            out.push(b':');
            write(value, out);
        }
        out.push(b'}');
    }

    #[test]
    fn canonicalizing_at_once_equals_doing_it_level_by_level() {
        for text in [
            "null",
            "-1.50e+3",
            r#""\u00e9\/\ud83d\ude00\n""#,
            r#""\ud800""#,
            "[]",
            "{ }",
            "[ [ ] , { } , [ 1 , \"a\" ] ]",
            r#"{"b":[1, 2,{"d":null ,"c":true}],"a":{"":"","\u0000":0}}"#,
            r#"{"a":{"x":1, "x":2},"b" : {"y":1,"\u0079":2}}"#,
            r#"[{"\ud800":1, "a":2}]"#,
            r#"{"a\"b":"c\\","z":"}]{[","é":"\t"}"#,
        ] {
            let value = RawJson::parse(text).unwrap();
            let mut form = Vec::new();
            write(&value, &mut form);
            assert_eq!(value.canonical(), form, "{text}");
        }
    }

    fn of(text: &str) -> Vec<u8> {
        RawJson::parse(text.to_owned()).unwrap().canonical()
    }

    #[test]
    fn equivalent_texts_have_one_form() {
        let one = of(r#"{"a":[1,{"c":"\u0078","b":null}],"d":"x"}"#);
        assert_eq!(of(" { \"d\":\"\\u0078\" , \"a\": [ 1, {\"b\":null,\"\\u0063\":\"x\"} ] } "), one);
    }

    #[test]
    fn ambiguous_texts_have_different_forms() {
        let one = of(r#"{"a":1,"b":2}"#);
        for other in [
            r#"{"a":1,"b":3}"#,
            r#"{"a":1,"b":2,"b":2}"#,
            r#"{"a":2,"a":1,"b":2}"#,
            r#"{"a":1.0,"b":2}"#,
            r#"{"a":"1","b":2}"#,
            r#"{"a":1}"#,
            r#"[{"a":1,"b":2}]"#,
        ] {
            assert_ne!(of(other), one, "{other}");
        }
        assert_ne!(of("[1,2]"), of("[2,1]"));
    }
}

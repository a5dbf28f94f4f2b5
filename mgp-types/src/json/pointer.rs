//! Pointers into unparsed JSON.

use super::{JsonError, RawJson, RawObject};

/// The maximum length of a pointer, in bytes.
const MAX_POINTER: usize = 1024;

/// A JSON pointer (RFC 6901): the keys and indices that lead to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPointer(Vec<String>);

impl JsonPointer {
    /// Parses a pointer; `None` if the text is not a pointer.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self(Vec::new()));
        }
        if text.len() > MAX_POINTER {
            return None;
        }
        let unescaped = |token: &str| {
            let is_valid = token.split('~').skip(1).all(|rest| rest.starts_with(['0', '1']));
            is_valid.then(|| token.replace("~1", "/").replace("~0", "~"))
        };
        text.strip_prefix('/')?.split('/').map(unescaped).collect::<Option<_>>().map(Self)
    }

    /// Returns whether the pointer leads to the whole value.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether one of two locations is inside the other, or both are the same.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(one, other)| one == other)
    }

    /// Returns the value at the location. It does not share memory with the whole, which may be much longer.
    #[must_use]
    pub fn get(&self, value: &RawJson) -> Option<RawJson> {
        if self.is_whole() {
            return Some(value.clone());
        }
        let part = self.0.iter().try_fold(value.clone(), |value, token| {
            if value.is_object() {
                return RawObject::from_json(&value).ok()?.get(token).cloned();
            }
            value.item(index(token)?)
        });
        part.map(|part| part.detached())
    }

    /// Returns a value with another one at the location. That value replaces an existing member or item, becomes a new member, or, at `-`,
    /// a new item. All other text is unchanged.
    ///
    /// # Errors
    /// The reason, if the location does not exist.
    pub fn put(&self, into: &RawJson, value: RawJson) -> Result<RawJson, String> {
        put(into, &self.0, value)
    }
}

fn put(into: &RawJson, place: &[String], value: RawJson) -> Result<RawJson, String> {
    let Some((token, rest)) = place.split_first() else { return Ok(value) };
    if into.is_object() {
        let mut object = RawObject::from_json(into).map_err(|error: JsonError| error.to_string())?;
        let inner = match object.get(token) {
            Some(member) => put(member, rest, value)?,
            None if rest.is_empty() => value,
            None => return Err(format!("there is no member {token:?}")),
        };
        object.insert_named(token, inner);
        return Ok(object.to_json());
    }
    if !into.is_array() {
        return Err(format!("expected an object or an array around {token:?}, found {}", into.kind()));
    }
    let array = match index(token) {
        Some(index) => match into.item(index) {
            Some(item) => into.with_item(index, &put(&item, rest, value)?),
            None => None,
        },
        None if token == "-" && rest.is_empty() => into.with_new_item(&value),
        None => None,
    };
    array.ok_or_else(|| format!("there is no item {token:?}: expected an index, or \"-\" for a new item"))
}

/// Parses the index of an item, which has only one notation.
fn index(token: &str) -> Option<usize> {
    let is_plain = token == "0" || !token.starts_with('0') && token.bytes().all(|b| b.is_ascii_digit());
    token.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> RawJson {
        RawJson::parse(text.to_owned()).unwrap()
    }

    fn after(place: &str, into: &str) -> Result<String, String> {
        let pointer = JsonPointer::parse(place).ok_or("no pointer")?;
        pointer.put(&json(into), json("7")).map(|json| json.to_string())
    }

    #[test]
    fn only_the_value_at_the_pointer_changes() {
        assert_eq!(after("/a", r#"{"a":0,"b": 1e999}"#).unwrap(), r#"{"a":7,"b":1e999}"#);
        assert_eq!(after("/c", r#"{"a":0}"#).unwrap(), r#"{"a":0,"c":7}"#);
        assert_eq!(after("/a/1", r#"{"a":[1,2]}"#).unwrap(), r#"{"a":[1,7]}"#);
        assert_eq!(after("/a/-", r#"{"a":[1]}"#).unwrap(), r#"{"a":[1,7]}"#);
        assert_eq!(after("/a/-", r#"{"a":[ ]}"#).unwrap(), r#"{"a":[7]}"#);
        assert_eq!(after("/0/1/b", r#"[[ 1, {"b":"]"} ], 2]"#).unwrap(), r#"[[ 1, {"b":7} ], 2]"#);
        assert_eq!(after("/a~1b/m~0n", r#"{"a/b":{}}"#).unwrap(), r#"{"a/b":{"m~n":7}}"#);
        assert_eq!(after("", "{}").unwrap(), "7");
    }

    #[test]
    fn a_pointer_that_leads_nowhere_is_named() {
        for (place, into, problem) in [
            ("a", "{}", "no pointer"),
            ("/a~2", "{}", "no pointer"),
            ("/a/b", "{}", "no member \"a\""),
            ("/a/b", r#"{"a":1}"#, "expected an object or an array"),
            ("/a/2", r#"{"a":[1]}"#, "no item \"2\""),
            ("/a/00", r#"{"a":[1]}"#, "no item \"00\""),
            ("/a/+0", r#"{"a":[1]}"#, "no item \"+0\""),
            ("/a/0", r#"{"a":[]}"#, "no item \"0\""),
            ("/a/-/b", r#"{"a":[{}]}"#, "no item \"-\""),
        ] {
            let error = after(place, into).unwrap_err();
            assert!(error.contains(problem), "{place}: {error}");
        }
    }

    #[test]
    fn a_part_is_found_by_its_pointer() {
        let value = json(r#"{"rows":[{"a/b":1},{"a/b":2}]}"#);
        let get = |place: &str| JsonPointer::parse(place).unwrap().get(&value).map(|json| json.to_string());
        assert_eq!(get("/rows/1/a~1b").as_deref(), Some("2"));
        assert_eq!(get("").as_deref(), Some(r#"{"rows":[{"a/b":1},{"a/b":2}]}"#));
        assert_eq!((get("/rows/2"), get("/rows/x"), get("/x"), get("/rows/-")), (None, None, None, None));
    }
}

//! JSON without its insignificant parts: the order of members, white space, escapes. Numbers keep their text.

use mgp_types::{
    json::{RawJson, RawObject},
    tool_result::RESULT_KEY,
};
use std::{collections::BTreeMap, fmt};

/// A comparable form of a JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Normal {
    /// `null`, `true`, `false`, and numbers as they were written: `1` is not `1.0`.
    Word(String),
    Text(String),
    List(Vec<Normal>),
    Object(BTreeMap<String, Normal>),
}

impl Normal {
    pub(crate) fn of(json: &RawJson) -> Result<Self, String> {
        let wrong = |error: mgp_types::json::JsonError| format!("invalid JSON: {error}");
        match json.as_bytes().first() {
            Some(b'"') => Ok(Self::Text(json.to_text().unwrap_or_default())),
            Some(b'[') => {
                let items: Vec<RawJson> = json.decode().map_err(wrong)?;
                items.iter().map(Self::of).collect::<Result<_, _>>().map(Self::List)
            }
            Some(b'{') => {
                let object = RawObject::from_json(json).map_err(wrong)?;
                let members = object.iter().map(|(key, value)| Ok((key.to_owned(), Self::of(value)?)));
                members.collect::<Result<_, String>>().map(Self::Object)
            }
            _ => Ok(Self::Word(json.as_str().to_owned())),
        }
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::of(&RawJson::parse(text.to_owned()).map_err(|error| format!("invalid JSON: {error}"))?)
    }

    /// Returns a member of the value, if the value is an object.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(key),
            _ => None,
        }
    }

    /// Returns the value without a member, if the value is an object.
    pub(crate) fn without(mut self, key: &str) -> Self {
        if let Self::Object(members) = &mut self {
            members.remove(key);
        }
        self
    }

    /// Returns a result without the trace that the kernel adds if the tool failed.
    pub(crate) fn without_trace(mut self) -> Self {
        let failed = Self::Word("true".to_owned());
        let Self::Object(members) = &mut self else { return self };
        if members.get("isError") != Some(&failed) {
            return self;
        }
        if let Some(Self::Object(meta)) = members.get_mut("_meta") {
            if let Some(Self::Object(outcome)) = meta.get_mut(RESULT_KEY) {
                outcome.remove("trace_id");
                if outcome.is_empty() {
                    meta.remove(RESULT_KEY);
                }
            }
            if meta.is_empty() {
                members.remove("_meta");
            }
        }
        self
    }

    fn shown(&self) -> String {
        let text = match self {
            Self::Word(word) => word.clone(),
            other => format!("{other:?}"),
        };
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}..", &text[..end]),
            None => text,
        }
    }
}

/// The most characters of a value that an error shows.
const SHOWN: usize = 200;

/// Returns the first difference of two values, or `None` if they are equal.
pub(crate) fn difference(ours: &Normal, theirs: &Normal) -> Option<Difference> {
    find(ours, theirs, &mut String::new())
}

/// A difference of two values, and its place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    path: String,
    ours: Option<String>,
    theirs: Option<String>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
        write!(f, "at {:?}: {} here, {} there", self.path, side(&self.ours), side(&self.theirs))
    }
}

fn find(ours: &Normal, theirs: &Normal, path: &mut String) -> Option<Difference> {
    let length = path.len();
    let mut step = |key: &str, ours: Option<&Normal>, theirs: Option<&Normal>| {
        path.truncate(length);
        path.push('/');
        path.push_str(key);
        match (ours, theirs) {
            (Some(ours), Some(theirs)) => find(ours, theirs, path),
            (ours, theirs) => Some(Difference {
                path: path.clone(),
                ours: ours.map(Normal::shown),
                theirs: theirs.map(Normal::shown),
            }),
        }
    };
    match (ours, theirs) {
        (Normal::Object(ours), Normal::Object(theirs)) => {
            let keys = ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key)));
            keys.into_iter().find_map(|key| step(key, ours.get(key), theirs.get(key)))
        }
        (Normal::List(ours), Normal::List(theirs)) => {
            let longest = ours.len().max(theirs.len());
            (0..longest).find_map(|at| step(&at.to_string(), ours.get(at), theirs.get(at)))
        }
        (ours, theirs) if ours == theirs => None,
        (ours, theirs) => {
            Some(Difference { path: path.clone(), ours: Some(ours.shown()), theirs: Some(theirs.shown()) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(ours: &str, theirs: &str) -> Option<String> {
        let difference = difference(&Normal::parse(ours).unwrap(), &Normal::parse(theirs).unwrap());
        difference.map(|difference| difference.to_string())
    }

    #[test]
    fn only_the_trace_of_failed_results_is_left_out() {
        let without = |text: &str| Normal::parse(text).unwrap().without_trace();
        let meta = r#""_meta":{"dev.cloto/result":{"trace_id":"t"}}"#;
        assert_eq!(without(&format!(r#"{{"isError":true,{meta}}}"#)), without(r#"{"isError":true}"#));
        for text in [
            format!(r#"{{"isError":false,{meta}}}"#),
            r#"{"isError":true,"_meta":{"dev.cloto/result":{"status":"failure"}}}"#.to_owned(),
            r#"{"isError":true,"_meta":{"a":1}}"#.to_owned(),
        ] {
            assert_eq!(without(&text), Normal::parse(&text).unwrap());
        }
    }

    #[test]
    fn order_white_space_and_escapes_do_not_count() {
        assert_eq!(compare(r#"{"a":1,"b":["\u0041\/"]}"#, "{ \"b\" : [\"A/\"],\n\"a\":1}"), None);
    }

    #[test]
    fn numbers_are_compared_as_they_were_written() {
        for (ours, theirs) in [
            ("1", "1.0"),
            ("1e2", "100"),
            ("-0", "0"),
            ("12345678901234567890123", "12345678901234567890124"),
            ("0.1", "0.10"),
        ] {
            assert!(compare(ours, theirs).is_some(), "{ours} {theirs}");
            assert_eq!(compare(ours, ours), None);
        }
    }

    #[test]
    fn a_difference_names_its_position() {
        let said = compare(r#"{"a":[1,{"b":true}]}"#, r#"{"a":[1,{"b":null}]}"#).unwrap();
        assert_eq!(said, r#"at "/a/1/b": true here, null there"#);
        let said = compare("[1]", "[1,2]").unwrap();
        assert_eq!(said, r#"at "/1": nothing here, 2 there"#);
        let said = compare(r#"{"a":1}"#, "{}").unwrap();
        assert_eq!(said, r#"at "/a": 1 here, nothing there"#);
        assert!(compare("\"1\"", "1").is_some(), "a text is no number");
    }

    #[test]
    fn a_member_can_be_left_out() {
        let without = Normal::parse(r#"{"a":1,"b":2}"#).unwrap().without("b");
        assert_eq!(without, Normal::parse(r#"{"a":1}"#).unwrap());
    }
}

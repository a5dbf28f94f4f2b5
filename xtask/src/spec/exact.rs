//! Compares two pieces of JSON as values, with numbers by their text: 1 and 1.0 differ, and so do digits beyond a double.

use std::collections::BTreeMap;

use mgp_types::json::{RawJson, RawObject};

/// Describes the first difference of two values and its place, or returns `None` if they are equal. The order of members does not count.
pub(super) fn difference(expected: &RawJson, found: &RawJson) -> Option<String> {
    at("", expected, found)
}

fn at(path: &str, expected: &RawJson, found: &RawJson) -> Option<String> {
    if let (Some(expected), Some(found)) = (members(expected), members(found)) {
        for (key, value) in &expected {
            let path = format!("{path}/{key}");
            match found.get(key) {
                None => return Some(format!("{path} is lost, expected {value}")),
                Some(other) => {
                    if let Some(difference) = at(&path, value, other) {
                        return Some(difference);
                    }
                }
            }
        }
        let added = found.iter().find(|(key, _)| !expected.contains_key(*key))?;
        return Some(format!("{path}/{} is added: {}", added.0, added.1));
    }
    if let (Some(expected), Some(found)) = (items(expected), items(found)) {
        if expected.len() != found.len() {
            return Some(format!("{path} has {} items, expected {}", found.len(), expected.len()));
        }
        let mut pairs = expected.iter().zip(&found).enumerate();
        return pairs.find_map(|(i, (expected, found))| at(&format!("{path}/{i}"), expected, found));
    }
    let equal = match (expected.to_text(), found.to_text()) {
        (Some(expected), Some(found)) => expected == found,
        _ => expected == found,
    };
    (!equal).then(|| format!("{path} is {found}, expected {expected}"))
}

fn members(json: &RawJson) -> Option<BTreeMap<String, RawJson>> {
    let object = json.is_object().then(|| RawObject::from_json(json).ok()).flatten()?;
    Some(object.iter().map(|(key, value)| (key.to_owned(), value.clone())).collect())
}

fn items(json: &RawJson) -> Option<Vec<RawJson>> {
    json.as_str().starts_with('[').then(|| json.decode().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: &'static str, found: &'static str) -> Option<String> {
        difference(&RawJson::parse(expected).unwrap(), &RawJson::parse(found).unwrap())
    }

    #[test]
    fn order_white_space_and_escapes_do_not_count() {
        assert_eq!(check(r#"{"a":[1, {"b":"\u0041"}],"c":null}"#, r#"{"c":null,"a":[1,{"b":"A"}]}"#), None);
    }

    #[test]
    fn every_difference_is_named_with_its_position() {
        for (expected, found, difference) in [
            (r#"{"a":{"b":1}}"#, r#"{"a":{"b":1.0}}"#, "/a/b is 1.0, expected 1"),
            ("12345678901234567890.1", "12345678901234567890.2", " is 12345678901234567890.2"),
            (r#"{"a":null}"#, "{}", "/a is lost, expected null"),
            ("{}", r#"{"a":1}"#, "/a is added: 1"),
            ("[1,2]", "[1]", " has 1 items, expected 2"),
            ("[1,2]", "[2,1]", "/0 is 2, expected 1"),
            (r#""1""#, "1", " is 1, expected \"1\""),
            ("{}", "[]", " is [], expected {}"),
        ] {
            let found = check(expected, found).unwrap();
            assert!(found.contains(difference), "{found}");
        }
    }
}

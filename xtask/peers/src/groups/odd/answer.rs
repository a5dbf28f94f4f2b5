//! Conditions on an answer.

use serde_json::Value;

/// Checks one condition on an answer. A condition is a path and one of these:
///
/// | condition | holds if the value at the path |
/// |---|---|
/// | `/a/b = JSON` | is this JSON |
/// | `/a/b != JSON` | is anything else |
/// | `/a/b ~ TEXT || TEXT` | has one of these texts in it |
/// | `/a/b !~ TEXT` | does not have this text in it |
/// | `/a/b < NUMBER` | has fewer bytes than this |
/// | `/a/b absent` | is missing |
/// | `/a/b there` | exists |
///
/// A path is a JSON pointer, whose steps into a list may also be the `name`, `uri`, `uriTemplate` or `id` of an entry; `.` is the whole
/// answer.
///
/// # Errors
/// A condition that does not hold, with the value at the path, and a text that is not a condition.
pub(super) fn holds(answer: &Value, condition: &str) -> Result<(), String> {
    let (place, rest) = condition.split_once(' ').ok_or_else(|| unreadable(condition))?;
    let (verb, expected) = rest.split_once(' ').unwrap_or((rest, ""));
    let found = at(answer, place);
    let holds = match verb {
        "absent" => found.is_none(),
        "there" => found.is_some(),
        "=" | "!=" => {
            let expected: Value = serde_json::from_str(expected).map_err(|_| unreadable(condition))?;
            (found == Some(&expected)) == (verb == "=")
        }
        "~" => {
            let has = |found: &Value, part: &str| text(found).contains(part);
            found.is_some_and(|found| expected.split(" || ").any(|part| has(found, part)))
        }
        "!~" => found.is_none_or(|found| !text(found).contains(expected)),
        "<" => {
            let most: usize = expected.parse().map_err(|_| unreadable(condition))?;
            found.is_some_and(|found| text(found).len() < most)
        }
        _ => return Err(unreadable(condition)),
    };
    if holds {
        Ok(())
    } else {
        Err(format!("`{condition}` does not hold: {}", shown(found.unwrap_or(answer))))
    }
}

fn unreadable(condition: &str) -> String {
    format!("{condition:?} is not a condition")
}

/// Returns the value at a path.
fn at<'a>(answer: &'a Value, place: &str) -> Option<&'a Value> {
    let steps = place.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
    let mut value = answer;
    for step in steps {
        value = match value {
            Value::Array(entries) => match step.parse::<usize>() {
                Ok(index) => entries.get(index)?,
                Err(_) => entries.iter().find(|entry| is_named(entry, &step))?,
            },
            other => other.get(&step)?,
        };
    }
    Some(value)
}

fn is_named(entry: &Value, name: &str) -> bool {
    ["name", "uri", "uriTemplate", "id"]
        .into_iter()
        .any(|key| entry.get(key).is_some_and(|found| found == name))
}

/// Returns a text as it is, and anything else as JSON.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The most characters of an answer that are shown.
const SHOWN: usize = 3000;

fn shown(value: &Value) -> String {
    text(value).chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_condition_is_read_at_its_position() {
        let answer = json!({"tools": [{"name": "a", "n": 1}, {"name": "b/c", "text": "one two"}], "x": null});
        for condition in [
            "/tools/a/n = 1",
            "/tools/0/n != 2",
            "/tools/b~1c/text ~ one two",
            "/tools/b~1c/text !~ three",
            "/tools/d absent",
            "/x = null",
            "/x there",
            "/y !~ anything",
            "/tools/b~1c/text ~ three || two",
            "/tools/b~1c/text < 8",
            ". ~ one two",
        ] {
            assert_eq!(holds(&answer, condition), Ok(()), "{condition}");
        }
        for condition in
            ["/tools/a/n = 2", "/tools/a absent", "/y ~ anything", "/y there", "/y = null", ". < 3"]
        {
            assert!(holds(&answer, condition).unwrap_err().contains("does not hold"), "{condition}");
        }
        for condition in ["/x", "/x is 1", "/x = one", "/x < many"] {
            assert!(holds(&answer, condition).unwrap_err().contains("is not a condition"), "{condition}");
        }
    }
}

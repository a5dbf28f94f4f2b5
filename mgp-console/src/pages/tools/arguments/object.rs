//! From the fields of a form to the object of a call's arguments.

use super::name::{ArgumentKind, EmptyField, FieldName, WHOLE};
use crate::{command_line::FieldError, form::Form};
use mgp_types::json::{RawJson, RawObject};

/// Returns the arguments in the fields of a form, each with the type that its name says. Text that is not given is left out, numbers keep
/// their digits, and the field for all arguments replaces the others.
///
/// # Errors
/// If a required argument has no value, or if a value is not of its type.
pub(crate) fn arguments(form: &Form) -> Result<RawJson, FieldError> {
    if let Some(whole) = form.one(WHOLE) {
        let wrong = || FieldError::Wrong {
            name: WHOLE.to_owned(),
            value: whole.to_owned(),
            expected: "one JSON object, such as {\"path\": \"a.txt\"}",
        };
        return RawObject::parse(whole.to_owned()).map(|object| object.to_json()).map_err(|_| wrong());
    }
    let named = form.pairs().filter_map(|(name, value)| Some((FieldName::parse(name)?, value)));
    let entries: Vec<Entry<'_>> = named.map(|(name, value)| Entry { name, value }).collect();
    Ok(members(&entries, &[], true)?.unwrap_or_default().to_json())
}

struct Entry<'a> {
    name: FieldName,
    value: &'a str,
}

/// Returns the object at a path. An optional object of which nothing is given is left out, with all that it would need.
fn members(entries: &[Entry<'_>], path: &[String], is_needed: bool) -> Result<Option<RawObject>, FieldError> {
    let mut object = RawObject::new();
    // Members of fields without a value. An optional object that has no others is left out.
    let (mut missing, mut nulls) = (Vec::new(), Vec::new());
    let is_here =
        |entry: &&Entry<'_>| entry.name.path.len() == path.len() + 1 && entry.name.path.starts_with(path);
    for entry in entries.iter().filter(is_here) {
        let Some(key) = entry.name.path.last() else { continue };
        let value = match entry.name.kind {
            ArgumentKind::Group => members(entries, &entry.name.path, false)?.map(|object| object.to_json()),
            kind => value(kind, entry)?,
        };
        match (value, entry.name.empty) {
            (Some(value), _) => drop(object.insert_named(key, value)),
            (None, EmptyField::LeftOut) => {}
            (None, EmptyField::Null) => nulls.push(key),
            (None, EmptyField::Missing) => missing.push((key, &entry.name)),
        }
    }
    if object.is_empty() && !is_needed {
        return Ok(None);
    }
    for (key, name) in missing {
        let empty = FieldError::Empty { name: shown(name), expected: name.kind.expected() };
        match name.kind {
            ArgumentKind::Group => {
                let group = members(entries, &name.path, true)?.ok_or(empty)?;
                object.insert_named(key, group.to_json());
            }
            _ => return Err(empty),
        }
    }
    for key in nulls {
        object.insert_named(key, RawJson::null());
    }
    Ok(Some(object))
}

/// Returns the value of a field; `None` if there is none.
fn value(kind: ArgumentKind, entry: &Entry<'_>) -> Result<Option<RawJson>, FieldError> {
    if kind == ArgumentKind::Text {
        // Browsers end lines like this.
        let text = entry.value.replace("\r\n", "\n");
        return Ok((!text.is_empty()).then(|| RawJson::string(&text)));
    }
    let text = entry.value.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let value = match kind {
        ArgumentKind::Integer => json(text).filter(|_| is_integer(text)),
        ArgumentKind::Number => json(text).filter(|value| value.kind() == "a number"),
        ArgumentKind::Boolean => json(text).filter(|value| matches!(value.as_str(), "true" | "false")),
        ArgumentKind::Choice => json(text).filter(|value| !value.is_object() && !value.is_array()),
        ArgumentKind::Json => json(text),
        ArgumentKind::Texts => {
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            RawJson::from_value(&lines.collect::<Vec<_>>()).ok()
        }
        ArgumentKind::Text | ArgumentKind::Group => None,
    };
    let wrong =
        || FieldError::Wrong { name: shown(&entry.name), value: text.to_owned(), expected: kind.expected() };
    value.map(Some).ok_or_else(wrong)
}

fn json(text: &str) -> Option<RawJson> {
    RawJson::parse(text.to_owned()).ok()
}

/// Returns whether a text has only digits, and a sign in front.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the name of an argument with those of its objects, such as `filter.limit`.
fn shown(name: &FieldName) -> String {
    name.path.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fields: &[(&str, &str)]) -> Result<String, String> {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let read = arguments(&Form::parse(body.as_bytes()));
        read.map(|json| json.as_str().to_owned()).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn check(fields: &[(&str, &str)], expected: &str) {
        assert_eq!(read(fields).as_deref(), Ok(expected), "{fields:?}");
    }

    #[track_caller]
    fn check_error(fields: &[(&str, &str)], expected: &str) {
        assert_eq!(read(fields), Err(expected.to_owned()), "{fields:?}");
    }

    #[test]
    fn texts_that_look_like_other_types_stay_texts() {
        for text in
            ["7", "true", "null", "{}", "[1]", "1e3", "\"quoted\"", " spaced ", "-", "--all", "ä\u{202e}\"\\"]
        {
            let expected = format!("{{\"a\":{}}}", serde_json::to_string(text).unwrap());
            check(&[("text/a", text)], &expected);
        }
    }

    #[test]
    fn lines_of_a_text_end_with_one_character() {
        check(&[("text/a", "one\r\ntwo\nthree\r\n")], r#"{"a":"one\ntwo\nthree\n"}"#);
    }

    #[test]
    fn empty_optional_fields_are_left_out() {
        check(
            &[
                ("text/a", ""),
                ("integer/b", ""),
                ("number/c", " "),
                ("boolean/d", ""),
                ("choice/e", ""),
                ("texts/f", "\r\n\r\n"),
                ("json/g", ""),
                ("group/h", "1"),
                ("text/h/i", ""),
                ("text/z", "z"),
            ],
            r#"{"z":"z"}"#,
        );
        check(&[], "{}");
    }

    #[test]
    fn numbers_keep_all_their_digits() {
        check(&[("integer/a", " 12345678901234567890123 ")], r#"{"a":12345678901234567890123}"#);
        check(
            &[("integer/a", "-0"), ("number/b", "1.50"), ("number/c", "1e500")],
            r#"{"a":-0,"b":1.50,"c":1e500}"#,
        );
        check(&[("number/a", "7")], r#"{"a":7}"#);
    }

    #[test]
    fn a_wrong_number_names_field_value_and_form() {
        for wrong in ["ten", "1.0", "1e3", "0x10", "+5", "05", "1 2", "\"7\"", "NaN", "--5", "-", "true"] {
            let expected = format!("\"limit\" is {wrong:?}: expected a whole number, such as 10");
            check_error(&[("integer/limit", wrong)], &expected);
        }
        for wrong in ["ten", "Infinity", "NaN", "1,5", ".5", "5.", "\"7\"", "true", "[1]"] {
            let expected = format!("\"filter.rate\" is {wrong:?}: expected a number, such as 2.5");
            check_error(&[("group/filter", ""), ("number/filter/rate", wrong)], &expected);
        }
    }

    #[test]
    fn booleans_and_choices_have_their_json_types() {
        check(
            &[
                ("boolean/a", "true"),
                ("boolean/b", "false"),
                ("choice/c", "\"1\""),
                ("choice/d", "1"),
                ("choice/e", "null"),
            ],
            r#"{"a":true,"b":false,"c":"1","d":1,"e":null}"#,
        );
        check_error(&[("boolean/a", "yes")], "\"a\" is \"yes\": expected true or false");
        check_error(&[("boolean/a", "1")], "\"a\" is \"1\": expected true or false");
        let expected = "\"a\" is \"[1]\": expected one of the values that the tool lists";
        check_error(&[("choice/a", "[1]")], expected);
    }

    #[test]
    fn a_list_of_texts_has_one_in_each_line() {
        check(&[("texts/a", "one\r\n\r\n 2 \r\ntrue, \"x\"")], r#"{"a":["one","2","true, \"x\""]}"#);
    }

    #[test]
    fn a_field_of_json_takes_any_value() {
        for json in ["[1,{\"a\":null}]", "\"text\"", "7", "null", "{\"b\":1,\"a\":2}"] {
            check(&[("json/a", json)], &format!("{{\"a\":{json}}}"));
        }
        let expected = "\"a\" is \"[1,\": expected JSON, such as {\"a\": [1, \"b\"]}";
        check_error(&[("json/a", "[1,")], expected);
    }

    #[test]
    fn required_fields_need_a_value() {
        check_error(&[("text!/a", "")], "\"a\" is empty: expected a text");
        check_error(&[("integer!/a", " ")], "\"a\" is empty: expected a whole number, such as 10");
        check_error(&[("texts!/a", "\n")], "\"a\" is empty: expected one text in each line");
        check(&[("text!/a", " ")], r#"{"a":" "}"#);
        check(&[("text?/a", ""), ("integer?/b", "")], r#"{"a":null,"b":null}"#);
    }

    #[test]
    fn an_optional_object_needs_its_fields_once_one_is_given() {
        let fields = |a, b| [("group/g", ""), ("text!/g/a", a), ("text/g/b", b), ("text?/g/c", "")];
        check(&fields("", ""), "{}");
        check(&fields("1", ""), r#"{"g":{"a":"1","c":null}}"#);
        check_error(&fields("", "2"), "\"g.a\" is empty: expected a text");
    }

    #[test]
    fn a_required_object_is_there_without_values() {
        check(&[("group!/g", ""), ("text/g/a", "")], r#"{"g":{}}"#);
        check_error(&[("group!/g", ""), ("text!/g/a", "")], "\"g.a\" is empty: expected a text");
        check(&[("group/o", ""), ("group!/o/g", ""), ("text!/o/g/a", "")], "{}");
        let optional = [("group/o", ""), ("text/o/x", "1"), ("group/o/g", ""), ("text!/o/g/a", "")];
        check(&optional, r#"{"o":{"x":"1"}}"#);
    }

    #[test]
    fn a_required_object_of_a_given_one_needs_its_fields() {
        let fields = [("group/o", ""), ("text/o/x", "1"), ("group!/o/g", ""), ("text!/o/g/a", "")];
        check_error(&fields, "\"o.g.a\" is empty: expected a text");
        check(
            &[("group/o", ""), ("text/o/x", "1"), ("group!/o/g", ""), ("text/o/g/a", "")],
            r#"{"o":{"x":"1","g":{}}}"#,
        );
    }

    #[test]
    fn names_with_signs_of_pointers_stay_whole() {
        check(&[("text/a~1b", "1"), ("text/a~0b", "2"), ("text/", "3")], r#"{"a/b":"1","a~b":"2","":"3"}"#);
    }

    #[test]
    fn all_arguments_as_json_replace_the_fields() {
        check(&[("text!/a", ""), (WHOLE, " {\"b\": 1.0, \"a\": 2} ")], "{\"b\":1.0,\"a\":2}");
        for wrong in ["[1]", "7", "{", "{\"a\":1,\"a\":2}", "-"] {
            let expected = format!(
                "\"arguments\" is {wrong:?}: expected one JSON object, such as {{\"path\": \"a.txt\"}}"
            );
            check_error(&[(WHOLE, wrong)], &expected);
        }
    }

    #[test]
    fn other_fields_of_the_form_are_not_arguments() {
        check(&[("tool", "x"), ("agent", "ann"), ("text/a", "1")], r#"{"a":"1"}"#);
    }

    #[test]
    fn a_long_wrong_value_leads_to_a_short_error() {
        let error = read(&[("integer/a", &"x".repeat(1_000_000))]).unwrap_err();
        assert!(error.len() < 400, "{}", error.len());
    }
}

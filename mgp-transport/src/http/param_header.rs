//! Arguments that are repeated in HTTP headers (`x-mcp-header`), so that intermediaries can route by them.

use base64::{Engine, engine::general_purpose::STANDARD};
use mgp_types::json::{RawJson, RawObject};

/// The key in a property's schema that names the header.
const ANNOTATION: &str = "x-mcp-header";
/// The prefix of the names of these headers.
const PREFIX: &str = "Mcp-Param-";
/// The most arguments of one tool that headers may repeat.
const MAX_ARGUMENTS: usize = 64;
/// The greatest depth of an annotated property in its schema.
const MAX_DEPTH: usize = 16;

/// An argument that is repeated in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamHeader {
    /// The header's whole name, such as `Mcp-Param-Region`.
    pub header: String,
    /// The path of the argument: the name of a property, and then those of the properties inside it.
    path: Vec<String>,
}

/// The reason why a tool's annotations are invalid. A tool with invalid annotations must not be offered over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParamHeaderError {
    /// The name is not a valid header name.
    #[error("invalid x-mcp-header of {property:?}: expected a header name's characters, found {found}")]
    Name {
        /// The property.
        property: String,
        /// The annotation's value.
        found: String,
    },
    /// Two properties have one name.
    #[error("duplicate x-mcp-header {0:?}: each needs its own name")]
    Duplicate(String),
    /// The property is not a string, an integer or a boolean.
    #[error(
        "invalid x-mcp-header of {property:?}: expected a property that is a string, an integer or a boolean, found {found}"
    )]
    Type {
        /// The property.
        property: String,
        /// The type of the property.
        found: String,
    },
    /// The annotation is in a place that does not denote a single argument.
    #[error(
        "invalid x-mcp-header in {0}: expected it in a property of the arguments, or of an object in them"
    )]
    Place(String),
    /// There are too many annotations.
    #[error("too many x-mcp-header annotations: expected at most {MAX_ARGUMENTS}")]
    TooMany,
}

/// The error for a header's value that cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected visible characters, or =?base64?..?= with base64 of UTF-8 text in it")]
pub struct HeaderValueError;

impl ParamHeader {
    /// Returns the annotated arguments of a tool's input schema, in the order of the schema.
    ///
    /// # Errors
    /// Returns a [`ParamHeaderError`] if an annotation is invalid.
    pub fn of_schema(schema: &RawJson) -> Result<Vec<Self>, ParamHeaderError> {
        if !schema.may_hold(ANNOTATION) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let Ok(schema) = RawObject::from_json(schema) else { return Ok(found) };
        collect(&schema, &mut Vec::new(), &mut found)?;
        Ok(found)
    }

    /// Returns the value of the header for these arguments; `None` if the argument is absent or `null`.
    #[must_use]
    pub fn value(&self, arguments: &RawObject) -> Option<String> {
        let value = self.find(arguments).filter(|value| !value.is_null())?;
        Some(encode_header(&value.to_text().unwrap_or_else(|| value.as_str().to_owned())))
    }

    /// Returns `true` if a header's value agrees with the arguments. Numbers are compared as numbers.
    #[must_use]
    pub fn agrees(&self, arguments: &RawObject, header: Option<&str>) -> bool {
        let value = self.find(arguments).filter(|value| !value.is_null());
        let (value, header) = match (value, header) {
            (None, None) => return true,
            (Some(value), Some(header)) => (value, header),
            _ => return false,
        };
        let Ok(said) = decode_header(header) else { return false };
        match value.to_text() {
            Some(text) => text == said,
            None if value.as_str() == said => true,
            None => match (Decimal::read(value.as_str()), Decimal::read(&said)) {
                (Some(value), Some(said)) => value == said,
                _ => false,
            },
        }
    }

    fn find(&self, arguments: &RawObject) -> Option<RawJson> {
        let (last, outer) = self.path.split_last()?;
        let mut inner = None;
        for key in outer {
            inner = Some(inner.as_ref().unwrap_or(arguments).object(key)?);
        }
        inner.as_ref().unwrap_or(arguments).get(last).cloned()
    }
}

/// A JSON number that equals all other texts of the same number. Floats would make different large numbers equal.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    /// The digits, without zeros at either end.
    digits: String,
    /// The number of digits before the decimal point.
    point: i64,
}

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        let (negative, number) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (number, exponent) = match number.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, i64::from(exponent.parse::<i32>().ok()?)),
            None => (number, 0),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0');
        let leading = all.len() - significant.len();
        let digits = significant.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { negative: false, digits, point: 0 });
        }
        let point = i64::try_from(whole.len()).ok()? - i64::try_from(leading).ok()? + exponent;
        Some(Self { negative, digits, point })
    }
}

/// Collects the annotated properties of an object, and of the objects in it.
fn collect(
    schema: &RawObject,
    path: &mut Vec<String>,
    found: &mut Vec<ParamHeader>,
) -> Result<(), ParamHeaderError> {
    for (key, value) in
        schema.iter().filter(|(key, value)| *key != "properties" && value.may_hold(ANNOTATION))
    {
        // Under `items`, `anyOf` and the like, an annotation does not denote a single argument. A text that only mentions the key
        // is not an annotation.
        if holds_annotation(value, MAX_DEPTH) {
            return Err(ParamHeaderError::Place(key.to_owned()));
        }
    }
    let Some(properties) = schema.object("properties") else { return Ok(()) };
    for (name, property) in properties.iter().filter(|(_, property)| property.may_hold(ANNOTATION)) {
        let Ok(mut property) = RawObject::from_json(property) else { continue };
        path.push(name.to_owned());
        if let Some(header) = property.remove(ANNOTATION) {
            let header = annotated(path, &property, &header)?;
            if found.iter().any(|known: &ParamHeader| known.header.eq_ignore_ascii_case(&header)) {
                return Err(ParamHeaderError::Duplicate(header));
            }
            if found.len() == MAX_ARGUMENTS {
                return Err(ParamHeaderError::TooMany);
            }
            found.push(ParamHeader { header, path: path.clone() });
        }
        if path.len() < MAX_DEPTH {
            collect(&property, path, found)?;
        }
        path.pop();
    }
    Ok(())
}

fn annotated(path: &[String], property: &RawObject, header: &RawJson) -> Result<String, ParamHeaderError> {
    let named = || path.join(".");
    let name = header.to_text().filter(|name| is_header_name(name));
    let name = name.ok_or_else(|| ParamHeaderError::Name { property: named(), found: header.to_string() })?;
    match property.text("type").as_deref() {
        Some("string" | "integer" | "boolean") => Ok(format!("{PREFIX}{name}")),
        found => {
            let found = found.unwrap_or("no type").to_owned();
            Err(ParamHeaderError::Type { property: named(), found })
        }
    }
}

fn holds_annotation(json: &RawJson, depth: usize) -> bool {
    if depth == 0 || !json.may_hold(ANNOTATION) {
        return false;
    }
    if let Ok(object) = RawObject::from_json(json) {
        return object.iter().any(|(key, value)| key == ANNOTATION || holds_annotation(value, depth - 1));
    }
    json.decode::<Vec<RawJson>>()
        .is_ok_and(|items| items.iter().any(|item| holds_annotation(item, depth - 1)))
}

/// Returns `true` if a text is a `token` of RFC 9110, and short enough.
fn is_header_name(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.len() <= 128 && name.bytes().all(is_token)
}

const START: &str = "=?base64?";
const END: &str = "?=";

/// Encodes a text as a header's value: unchanged, or as base64 if a header could not carry the text or could be misread.
#[must_use]
pub fn encode_header(text: &str) -> String {
    let visible = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    let trimmed = text.trim_matches([' ', '\t']).len() == text.len();
    let looks_encoded = text.starts_with(START) && text.ends_with(END);
    if visible && trimmed && !looks_encoded {
        return text.to_owned();
    }
    format!("{START}{}{END}", STANDARD.encode(text))
}

/// Decodes the text of a header's value.
///
/// # Errors
/// Returns a [`HeaderValueError`] if the value cannot be decoded.
pub fn decode_header(value: &str) -> Result<String, HeaderValueError> {
    let Some(inner) = value.strip_prefix(START).and_then(|rest| rest.strip_suffix(END)) else {
        return Ok(value.to_owned());
    };
    let bytes = STANDARD.decode(inner).map_err(|_| HeaderValueError)?;
    String::from_utf8(bytes).map_err(|_| HeaderValueError)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn headers(schema: &str) -> Result<Vec<ParamHeader>, ParamHeaderError> {
        ParamHeader::of_schema(&RawJson::parse(schema.to_owned()).unwrap())
    }

    #[test]
    fn annotated_arguments_are_found_at_any_depth() {
        let schema = r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region"},"o":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"Count"}}},"b":{"type":"string"}}}"#;
        let found = headers(schema).unwrap();
        let arguments = RawObject::parse(r#"{"a":"Zürich","o":{"n":7}}"#).unwrap();
        let values: Vec<_> = found.iter().map(|header| (&*header.header, header.value(&arguments))).collect();
        let encoded = encode_header("Zürich");
        assert_eq!(values, [("Mcp-Param-Region", Some(encoded)), ("Mcp-Param-Count", Some("7".into()))]);
        let absent = RawObject::parse(r#"{"a":null}"#).unwrap();
        assert!(found.iter().all(|header| header.value(&absent).is_none() && header.agrees(&absent, None)));
    }

    #[test]
    fn unusable_annotations_are_refused() {
        let property = |text: &str| headers(&format!(r#"{{"properties":{{"a":{text}}}}}"#)).unwrap_err();
        for name in [r#""""#, r#""a b""#, r#""ä""#, "7", r#""a:b""#] {
            let error = property(&format!(r#"{{"type":"string","x-mcp-header":{name}}}"#));
            assert!(matches!(error, ParamHeaderError::Name { .. }), "{name}: {error}");
        }
        for kind in [r#""object""#, r#""array""#, r#""null""#, r#""number""#] {
            let error = property(&format!(r#"{{"type":{kind},"x-mcp-header":"A"}}"#));
            assert!(matches!(error, ParamHeaderError::Type { .. }), "{kind}: {error}");
        }
        let twice = r#"{"properties":{"a":{"type":"string","x-mcp-header":"X"},"b":{"type":"string","x-mcp-header":"x"}}}"#;
        assert_eq!(headers(twice).unwrap_err(), ParamHeaderError::Duplicate("Mcp-Param-x".into()));
        let listed = r#"{"type":"array","items":{"type":"string","x-mcp-header":"X"}}"#;
        assert_eq!(property(listed), ParamHeaderError::Place("items".into()));
        assert!(headers(r#"{"description":"not an x-mcp-header","properties":{}}"#).unwrap().is_empty());
    }

    #[test]
    fn every_text_survives_its_header() {
        for text in ["", "plain", " led by a blank", "ends\t", "ü", "a\nb", "=?base64?YQ==?=", "1.50"] {
            let header = encode_header(text);
            assert!(header.is_ascii() && !header.contains('\n'));
            assert_eq!(decode_header(&header).unwrap(), text);
        }
        assert!(decode_header("=?base64?*?=").is_err() && decode_header("=?base64?/w==?=").is_err());
    }

    #[test]
    fn a_header_agrees_only_with_its_argument() {
        let header = &headers(r#"{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}}"#).unwrap()[0];
        let arguments = RawObject::parse(r#"{"n":42}"#).unwrap();
        assert!(header.agrees(&arguments, Some("42")) && header.agrees(&arguments, Some("42.0")));
        assert!(!header.agrees(&arguments, Some("43")) && !header.agrees(&arguments, None));
        assert!(!header.agrees(&RawObject::new(), Some("42")));
    }

    #[test]
    fn numbers_are_compared_numerically_to_the_last_digit() {
        let same = |one: &str, other: &str| Decimal::read(one).unwrap() == Decimal::read(other).unwrap();
        for (one, other) in [
            ("42", "42.0"),
            ("42", "4.2e1"),
            ("420", "42E+1"),
            ("0.042", "42e-3"),
            ("0", "-0.0e7"),
            ("-1.50", "-15e-1"),
        ] {
            assert!(same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("9007199254740993", "9007199254740992"),
            ("1", "-1"),
            ("10", "1"),
            ("1e400", "1e500"),
            ("0", "1e-400"),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
        for text in ["", "-", ".5", "5.", "+5", "inf", "NaN", "0x10", "1e", "1e99999999999", " 5", "5 "] {
            assert_eq!(Decimal::read(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_survives_a_header_that_can_carry_it(text in any::<String>()) {
            let header = encode_header(&text);
            prop_assert!(http::HeaderValue::from_str(&header).is_ok());
            prop_assert_eq!(header.trim(), &*header);
            prop_assert_eq!(decode_header(&header).unwrap(), text);
        }

        #[test]
        fn any_header_is_read_or_refused(value in any::<String>(), inner in "[A-Za-z0-9+/=]{0,40}") {
            for header in [value, format!("{START}{inner}{END}")] {
                if let Ok(text) = decode_header(&header) {
                    prop_assert_eq!(decode_header(&encode_header(&text)).unwrap(), text);
                }
            }
        }

        #[test]
        fn a_header_agrees_only_with_its_own_text(one in any::<String>(), other in any::<String>()) {
            let header = &headers(r#"{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}"#).unwrap()[0];
            let arguments: RawObject = [("a", RawJson::string(one.as_str()))].into_iter().collect();
            let value = header.value(&arguments).unwrap();
            prop_assert!(header.agrees(&arguments, Some(&value)));
            prop_assert_eq!(header.agrees(&arguments, Some(&encode_header(&other))), one == other);
        }

        #[test]
        fn integers_agree_only_with_themselves(one in any::<i128>(), more in 1i128..1000) {
            let header = &headers(r#"{"properties":{"n":{"type":"integer","x-mcp-header":"N"}}}"#).unwrap()[0];
            let arguments = RawObject::parse(format!(r#"{{"n":{one}}}"#)).unwrap();
            let written_otherwise = format!("{one}.0");
            prop_assert!(header.agrees(&arguments, Some(&written_otherwise)));
            prop_assert!(!header.agrees(&arguments, Some(&one.wrapping_add(more).to_string())));
        }
    }
}

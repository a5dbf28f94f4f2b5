//! The id of a request.

use crate::json::{RawJson, RawObject};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, sync::Arc};

/// The id of a request: a string or a number, as its sender wrote it.
///
/// JSON-RPC allows any number. Integers that fit into 64 bits compare by value; every other number keeps its text and
/// compares by that text, so an answer always carries the id that was sent.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(Repr);

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Repr {
    Integer(i64),
    String(Arc<str>),
    /// A number that is not a 64-bit integer, as text.
    Number(Arc<str>),
}

/// The longest id that is accepted, in bytes of JSON text.
const MAX_LENGTH: usize = 1024;

/// The largest exponent of an integer of 64 bits.
const MAX_ZEROS: usize = 18;

/// The error for a value that cannot be a request id. Holds a description of the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidId(String);

impl fmt::Display for InvalidId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid id: expected a string or a number of at most {MAX_LENGTH} bytes, found {}", self.0)
    }
}

impl std::error::Error for InvalidId {}

impl RequestId {
    /// Reads an id from its JSON text.
    ///
    /// # Errors
    /// [`InvalidId`] if the value is not a string or a number, or if it is too long.
    pub fn from_json(json: &RawJson) -> Result<Self, InvalidId> {
        if let Some(integer) = small_integer(json.as_bytes()) {
            return Ok(integer.into());
        }
        let text = json.as_str();
        if text.len() > MAX_LENGTH {
            return Err(InvalidId(format!("{} bytes", text.len())));
        }
        match text.as_bytes().first() {
            Some(b'"') => {
                json.to_text().map(Self::from).ok_or_else(|| InvalidId(json.kind_without_text().to_owned()))
            }
            Some(b'-' | b'0'..=b'9') => Ok(match text.parse() {
                // `-0` is the only integer whose value does not reproduce its text.
                Ok(integer) if text != "-0" => Self(Repr::Integer(integer)),
                _ => Self(Repr::Number(text.into())),
            }),
            _ => Err(InvalidId(json.kind().to_owned())),
        }
    }

    /// Returns the id as JSON text.
    #[must_use]
    pub fn to_json(&self) -> RawJson {
        // Exact to the byte: spare room in a buffer would cost one more allocation.
        match &self.0 {
            Repr::Integer(value) => RawJson::from_checked(written(*value, &mut [0; 20]).to_vec().into()),
            Repr::Number(text) => RawJson::from_checked(text.as_bytes().to_vec().into()),
            Repr::String(text) => RawJson::string(text),
        }
    }

    /// Returns the id if it is a 64-bit integer.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the integer that the id stands for. `"7"`, `7.0` and `7e+00` also stand for 7, because some peers return a number in these
    /// forms.
    #[must_use]
    pub fn number(&self) -> Option<i64> {
        let (text, zeros) = match &self.0 {
            Repr::Integer(value) => return Some(*value),
            Repr::String(text) => (&**text, 0),
            Repr::Number(text) => match text.split_once(['e', 'E']) {
                Some((text, exponent)) => {
                    (text, exponent.parse::<usize>().ok().filter(|zeros| *zeros <= MAX_ZEROS)?)
                }
                None => (&**text, 0),
            },
        };
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        // The digits of the fraction that the exponent moves before the point.
        let (moved, fraction) = fraction.split_at(zeros.min(fraction.len()));
        if !fraction.bytes().all(|digit| digit == b'0') {
            return None;
        }
        format!("{whole}{moved:0<zeros$}").parse().ok()
    }

    /// Returns whether this is the id of an answer to `request`: the same id, or another form of the same [`number`](Self::number).
    #[must_use]
    pub fn answers(&self, request: &Self) -> bool {
        self == request || self.number().is_some_and(|number| request.number() == Some(number))
    }

    /// Appends the id as JSON text.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match &self.0 {
            Repr::Integer(value) => out.extend_from_slice(written(*value, &mut [0; 20])),
            Repr::String(text) => crate::json::write_string(out, text),
            Repr::Number(text) => out.extend_from_slice(text.as_bytes()),
        }
    }
}

/// Returns the integer that a text of digits stands for. `None` for other numbers, which are rare as ids.
fn small_integer(text: &[u8]) -> Option<i64> {
    // So many digits always fit into 64 bits.
    if text.is_empty() || text.len() > MAX_ZEROS {
        return None;
    }
    text.iter()
        .try_fold(0i64, |number, digit| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0')))
}

/// Writes an integer. Each message has one, and the formatter of the standard library takes several times as long.
fn written(value: i64, digits: &mut [u8; 20]) -> &[u8] {
    let (mut at, mut rest) = (digits.len(), value.unsigned_abs());
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        at -= 1;
        digits[at] = b'-';
    }
    &digits[at..]
}

impl From<i64> for RequestId {
    fn from(value: i64) -> Self {
        Self(Repr::Integer(value))
    }
}

impl From<&str> for RequestId {
    fn from(value: &str) -> Self {
        Self(Repr::String(value.into()))
    }
}

impl From<String> for RequestId {
    fn from(value: String) -> Self {
        Self(Repr::String(value.into()))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_json().as_str())
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Repr::Integer(value) => serializer.serialize_i64(*value),
            Repr::String(text) => serializer.serialize_str(text),
            Repr::Number(_) => self.to_json().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = RawJson::deserialize(deserializer)?;
        Self::from_json(&json).map_err(serde::de::Error::custom)
    }
}

/// Returns the id in a member of an object, if the member is a valid one.
pub(crate) fn id_in(object: &RawObject, key: &str) -> Option<RequestId> {
    RequestId::from_json(object.get(key)?).ok()
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for RequestId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RequestId".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": ["string", "number"] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_and_written_as_std_does() {
        let powers = (0..19).flat_map(|zeros| [-1, 0, 1].map(|more| 10i64.pow(zeros) + more));
        for value in powers.flat_map(|value| [value, -value]).chain([i64::MAX, i64::MIN]) {
            let json = RequestId::from(value).to_json();
            assert_eq!(json.as_str(), value.to_string());
            assert_eq!(RequestId::from_json(&json).unwrap().as_i64(), Some(value));
        }
    }

    #[test]
    fn a_number_written_in_another_form_is_read() {
        let number =
            |text: &str| RequestId::from_json(&RawJson::parse(text.to_owned()).unwrap()).unwrap().number();
        for (text, expected) in [
            ("7", Some(7)),
            (r#""7""#, Some(7)),
            (r#""7.0""#, Some(7)),
            ("-0", Some(0)),
            ("7.0", Some(7)),
            ("-7.00", Some(-7)),
            ("7.5", None),
            ("7e0", Some(7)),
            ("1e+05", Some(100_000)),
            ("-1.250E3", Some(-1250)),
            ("1.25e1", None),
            ("1e-1", None),
            ("1e19", None),
            ("1e999999999", None),
            (r#""1e5""#, None),
            (r#""7.é""#, None),
            (r#""7a""#, None),
            (r#""""#, None),
            ("99999999999999999999.0", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn an_answer_matches_its_request_in_any_form_of_the_number() {
        assert!(id(r#""7""#).unwrap().answers(&7.into()) && id("7.0").unwrap().answers(&7.into()));
        assert!(id(r#""a""#).unwrap().answers(&"a".into()));
        assert!(!id(r#""a""#).unwrap().answers(&"b".into()) && !id("8").unwrap().answers(&7.into()));
    }

    fn id(text: &str) -> Result<RequestId, InvalidId> {
        RequestId::from_json(&RawJson::parse(text.to_owned()).unwrap())
    }

    #[test]
    fn every_legal_kind_is_written_as_it_was_read() {
        for text in [
            "1",
            "-7",
            "0",
            "-0",
            "9223372036854775807",
            "18446744073709551615",
            "1.5",
            "1e3",
            "\"\"",
            "\"a-\\\"b\"",
            "\"7\"",
        ] {
            assert_eq!(id(text).unwrap().to_json().as_str(), text);
        }
    }

    #[test]
    fn a_string_and_an_equal_looking_number_differ() {
        assert_ne!(id("7").unwrap(), id("\"7\"").unwrap());
    }

    #[test]
    fn illegal_kinds_are_named() {
        for text in ["null", "true", "[1]", "{}"] {
            assert!(id(text).unwrap_err().to_string().contains("expected a string or a number"), "{text}");
        }
        assert!(id(&format!("\"{}\"", "x".repeat(2000))).unwrap_err().to_string().contains("2002 bytes"));
    }
}

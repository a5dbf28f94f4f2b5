//! The members of an envelope that cannot be parsed, as far as they can be determined.

use super::RequestId;
use crate::json::{RawJson, slices, without_mark};

/// The members of an envelope that cannot be parsed, as far as they can be determined: enough to answer the call that
/// the text belongs to.
///
/// The text is read once from its start, without recursion, whatever it contains.
///
/// ```
/// use mgp_types::rpc::EnvelopeScan;
/// let scan = EnvelopeScan::of(br#"{"id": 7, "method": "x", "params": {"id": 8, "a": tru}}"#);
/// assert_eq!(scan.id(), Some(&7.into()));
/// assert!(scan.is_whole() && !scan.is_response());
/// ```
#[derive(Debug, Clone, Default)]
pub struct EnvelopeScan {
    id: Option<RequestId>,
    is_ambiguous: bool,
    has_method: bool,
    has_outcome: bool,
    is_whole: bool,
}

impl EnvelopeScan {
    /// Scans a text, or the start of one.
    #[must_use]
    pub fn of(text: &[u8]) -> Self {
        let text = without_mark(text.trim_ascii());
        let mut scan = Self::default();
        if text.first() == Some(&b'{') {
            scan.is_whole = scan.read(text).is_some_and(|end| end == text.len());
        }
        scan
    }

    /// Returns the id, if there is exactly one at the top level.
    #[must_use]
    pub fn id(&self) -> Option<&RequestId> {
        self.id.as_ref().filter(|_| !self.is_ambiguous)
    }

    /// Returns whether the text is a response: it has a result or an error and no method.
    #[must_use]
    pub fn is_response(&self) -> bool {
        self.has_outcome && !self.has_method
    }

    /// Returns whether the object's closing brace is the last character of the text, so that nothing of the top level was missed.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Reads the members up to the end of the object. Returns the position of that end, or `None` if the text ends before it.
    fn read(&mut self, text: &[u8]) -> Option<usize> {
        let (mut at, mut depth, mut place) = (0, 0_usize, Place::Elsewhere);
        while let Some(byte) = text.get(at) {
            let start = at;
            at += 1;
            match byte {
                b'{' | b'[' => {
                    depth += 1;
                    place = if depth == 1 { Place::Key } else { Place::Elsewhere };
                }
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                b',' if depth == 1 => place = Place::Key,
                b'"' => {
                    at = start + slices::string(&text[start..])?;
                    match place {
                        Place::Key if depth == 1 => place = self.key(&text[start + 1..at - 1]),
                        Place::Id if depth == 1 => place = self.value_of_id(&text[start..at]),
                        _ => {}
                    }
                }
                b'0'..=b'9' | b'-' if depth == 1 && place == Place::Id => {
                    let length = text[start..].iter().take_while(|byte| !ends_number(**byte)).count();
                    at = start + length;
                    // A number at the end of the scanned text may have more digits.
                    if at < text.len() {
                        place = self.value_of_id(&text[start..at]);
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn key(&mut self, key: &[u8]) -> Place {
        match key {
            b"id" => return Place::Id,
            b"method" => self.has_method = true,
            b"result" | b"error" => self.has_outcome = true,
            // A key with escapes may be any key, including a second id.
            _ => self.is_ambiguous |= key.contains(&b'\\'),
        }
        Place::Elsewhere
    }

    fn value_of_id(&mut self, value: &[u8]) -> Place {
        let json = RawJson::parse(value.to_vec());
        let id = json.ok().and_then(|json| RequestId::from_json(&json).ok());
        self.is_ambiguous |= self.id.is_some() || id.is_none();
        self.id = id;
        Place::Elsewhere
    }
}

/// The position of the scan within the top level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before a key.
    Key,
    /// After the key `id`.
    Id,
    Elsewhere,
}

fn ends_number(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id(text: &[u8]) -> Option<String> {
        let scan = EnvelopeScan::of(text);
        scan.id().filter(|_| scan.is_whole()).map(|id| id.to_json().to_string())
    }

    #[test]
    fn the_top_level_id_is_found_anywhere() {
        for (text, expected) in [
            (&br#"{"id":7,"params":{"a":01}}"#[..], Some("7")),
            (br#" { "params" : {"id":8,"a":[nope]} , "id" : "seven" } "#, Some("\"seven\"")),
            (b"{\"params\":\"\xff\",\"id\":-1.5}", Some("-1.5")),
            (br#"{"params":"\"id\":5","id":7}"#, Some("7")),
            (br#"{"id":"a\"b","x":y}"#, Some(r#""a\"b""#)),
        ] {
            assert_eq!(id(text).as_deref(), expected, "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn no_id_is_invented() {
        for text in [
            &br#"{"params":{"id":8}}"#[..],
            br#"{"id":null,"a":x}"#,
            br#"{"id":{"id":5}}"#,
            br#"{"id":1,"id":2}"#,
            br#"{"id":1,"i\u0064":2}"#,
            br#"{"id":"\ud800","a":x}"#,
            br#"{"id":7"#,
            br#"{"id":7}}"#,
            br#"{"id":7} {"id":8}"#,
            br#"{"id":7,"a":"\"#,
            br#"[{"id":7}]"#,
            br#"["id",7]"#,
            b"",
        ] {
            assert_eq!(id(text), None, "{}", String::from_utf8_lossy(text));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_scanned_safely(text in prop::collection::vec(prop::sample::select(br#"{}[]":,\id0-. x"#.to_vec()), 0..80)) {
            let _ = EnvelopeScan::of(&text);
        }
    }
}

//! Unpaired surrogates in the escapes of JSON, which JSON's grammar allows and many hosts' parsers refuse together with the whole message.

use crate::json::RawJson;
use memchr::{memchr, memmem};

/// U+FFFD, by which an unpaired surrogate is replaced, as an escape.
const REPLACEMENT: &[u8; 6] = b"\\ufffd";

/// Returns a value with U+FFFD in place of every unpaired surrogate, or `None` if the value has none.
pub(super) fn replaced(json: &RawJson) -> Option<RawJson> {
    let text = json.as_bytes();
    // Only escapes can hold any, and few messages have such escapes.
    memchr(b'\\', text)?;
    if [b"\\ud", b"\\uD"].iter().all(|escape| memmem::find(text, *escape).is_none()) {
        return None;
    }
    let mut replaced: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = memchr(b'\\', text.get(at..).unwrap_or_default()) {
        let escape = at + found;
        at = escape + 2;
        let Some(unit) = unit(text, escape) else { continue };
        at = escape + 6;
        match unit {
            0xd800..=0xdbff if unit_is_low(text, at) => at += 6,
            0xd800..=0xdfff => {
                replaced.get_or_insert_with(|| text.to_vec())[escape..escape + 6]
                    .copy_from_slice(REPLACEMENT);
            }
            _ => {}
        }
    }
    replaced.map(|text| RawJson::from_checked(text.into()))
}

fn unit_is_low(text: &[u8], at: usize) -> bool {
    unit(text, at).is_some_and(|unit| (0xdc00..=0xdfff).contains(&unit))
}

/// Returns the UTF-16 code unit of the escape `\uXXXX` at a place; `None` if there is none.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unpaired_surrogates_are_replaced() {
        for (text, expected) in [
            (r#""\ud83d\ude00""#, None),
            (r#""\uD83D\uDE00 \\ud800 \u00e9""#, None),
            (r#"{"a":"\ud800"}"#, Some(r#"{"a":"\ufffd"}"#)),
            (
                r#"{"\udc00":["\ud800\ud83d\ude00","\\\udfff"]}"#,
                Some(r#"{"\ufffd":["\ufffd\ud83d\ude00","\\\ufffd"]}"#),
            ),
            (r#""\ud83d\u0041\uDE00""#, Some(r#""\ufffd\u0041\ufffd""#)),
        ] {
            let found = replaced(&RawJson::parse(text).unwrap());
            assert_eq!(found.as_ref().map(RawJson::as_str), expected, "{text}");
            assert!(found.is_none_or(|json| json.decode::<serde_json::Value>().is_ok()), "{text}");
        }
    }
}

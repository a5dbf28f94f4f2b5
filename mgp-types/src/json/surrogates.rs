//! Unpaired surrogates: an escape such as `\ud800` without its other half is not a character, and many readers refuse a whole message because
//! of it.

use super::RawJson;
use memchr::{memchr, memmem};
use std::{ops::RangeInclusive, str};

/// The length of an escape of four digits, `\uXXXX`, in bytes.
const ESCAPE: usize = 6;
/// The first halves of pairs.
const HIGH: RangeInclusive<u16> = 0xd800..=0xdbff;
/// The second halves of pairs.
const LOW: RangeInclusive<u16> = 0xdc00..=0xdfff;

impl RawJson {
    /// Returns the value with each unpaired surrogate replaced by U+FFFD, also in member names, or `None` if there are none. Nothing else is
    /// changed.
    ///
    /// ```
    /// use mgp_types::json::RawJson;
    /// let cut = RawJson::parse(r#"["\ud83d\ude00", "\ud83d", 1.0]"#)?;
    /// let whole = cut.without_lone_surrogates().unwrap();
    /// assert_eq!(whole.as_str(), r#"["\ud83d\ude00", "\ufffd", 1.0]"#);
    /// assert_eq!(whole.without_lone_surrogates(), None);
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    #[must_use]
    pub fn without_lone_surrogates(&self) -> Option<Self> {
        let bytes = self.as_bytes();
        // Only escapes can contain surrogates, and few messages have escapes.
        memchr(b'\\', bytes)?;
        if [br"\ud", br"\uD"].iter().all(|escape| memmem::find(bytes, *escape).is_none()) {
            return None;
        }
        let (mut at, mut mended) = (0, None::<Vec<u8>>);
        while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'\\', rest)) {
            let start = at + found;
            at = match unit(bytes, start) {
                // An escape of one character.
                None => start + 2,
                Some(high) if HIGH.contains(&high) && is_low(bytes, start + ESCAPE) => start + 2 * ESCAPE,
                Some(half) if HIGH.contains(&half) || LOW.contains(&half) => {
                    let mended = mended.get_or_insert_with(|| bytes.to_vec());
                    mended[start..start + ESCAPE].copy_from_slice(br"\ufffd");
                    start + ESCAPE
                }
                Some(_) => start + ESCAPE,
            };
        }
        mended.map(|text| Self::from_checked(text.into()))
    }
}

fn is_low(bytes: &[u8], at: usize) -> bool {
    unit(bytes, at).is_some_and(|unit| LOW.contains(&unit))
}

/// Returns the number of an escape `\uXXXX` at a position.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + ESCAPE)?.strip_prefix(br"\u")?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unpaired_halves_are_replaced() {
        for (text, expected) in [
            (r#""\ud800""#, r#""\ufffd""#),
            (r#""\udc00\ud800""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\u0041\uDE00""#, r#""\ufffd\u0041\ufffd""#),
            (r#""\ud800\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\uD83D\uDE00\uDE00""#, r#""\uD83D\uDE00\ufffd""#),
            (r#"{"\udbff":[1.50,"\\ud800","\\\ud800"]}"#, r#"{"\ufffd":[1.50,"\\ud800","\\\ufffd"]}"#),
        ] {
            let mended = RawJson::parse(text).unwrap().without_lone_surrogates().unwrap();
            assert_eq!(mended.as_str(), expected);
            assert!(mended.decode::<serde_json::Value>().is_ok(), "{expected}");
        }
        for whole in [
            r#""""#,
            r#""\ud83d\ude00""#,
            r#""\\ud800""#,
            r#""\uD83D\uDE00 \\ud800 \u00e9""#,
            r#""\n\ufffd\"""#,
            "7",
        ] {
            assert_eq!(RawJson::parse(whole).unwrap().without_lone_surrogates(), None, "{whole}");
        }
    }
}

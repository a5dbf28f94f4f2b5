//! Parsers for options of `mgp call`.

use mgp_types::idempotency::IdempotencyKey;

/// A reference and its position in the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlacedReference {
    pub(super) at: String,
    pub(super) reference: String,
}

/// Parses `POINTER=REF`.
pub(super) fn placed_reference(text: &str) -> Result<PlacedReference, String> {
    // A pointer may contain the sign, too.
    let parts = text.find("=ref-").map(|sign| (&text[..sign], &text[sign + 1..]));
    let parts = parts.filter(|(at, _)| at.is_empty() || at.starts_with('/'));
    let Some((at, reference)) = parts else {
        return Err("expected a JSON pointer and a reference that --keep-result printed, such as \
                    /data=ref-5f0c, or /data=ref-5f0c#/rows/0 for a part of what is kept"
            .to_owned());
    };
    Ok(PlacedReference { at: at.to_owned(), reference: reference.to_owned() })
}

/// Parses an idempotency key.
pub(super) fn idempotency_key(text: &str) -> Result<IdempotencyKey, String> {
    IdempotencyKey::new(text).ok_or_else(|| "expected 1 to 128 letters, digits and _-:.".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_has_a_pointer_and_a_part() {
        for (text, at, reference) in [
            ("/data=ref-1", "/data", "ref-1"),
            ("=ref-1#/a=b", "", "ref-1#/a=b"),
            ("/a=b/-=ref-1#/rows/0", "/a=b/-", "ref-1#/rows/0"),
        ] {
            let expected = PlacedReference { at: at.to_owned(), reference: reference.to_owned() };
            assert_eq!(placed_reference(text), Ok(expected), "{text}");
        }
        for text in ["ref-1", "/data", "/data=", "/data=plan.txt", "data=ref-1", ""] {
            assert!(placed_reference(text).unwrap_err().contains("such as /data=ref-5f0c"), "{text}");
        }
    }
}

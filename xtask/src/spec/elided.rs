//! The blocks that leave parts out with "...": listed individually, and checked with the gaps filled in.

/// A block with a gap, by its section and a text in it.
struct ElidedBlock {
    section: &'static str,
    /// A text that is in no other block of the section.
    holds: &'static str,
}

const ELIDED: [ElidedBlock; 3] = [
    // Not JSON: the embedding ends in "...".
    ElidedBlock { section: "16.4", holds: "\"embedding\"" },
    // The second tool's schema and security are left out.
    ElidedBlock { section: "16.5", holds: "\"relevance_score\"" },
    // The tool's schema is left out.
    ElidedBlock { section: "16.6", holds: "\"tools_loaded\"" },
];

/// The number of blocks with gaps.
pub(super) const COUNT: usize = ELIDED.len();

/// The text of each gap, and the least text that fills it.
const GAPS: [(&str, &str); 3] = [
    (r#""security": { "..." : "..." }"#, r#""security": { "risk_level": "safe" }"#),
    (r#"{ "..." : "..." }"#, "{}"),
    (", ...]", "]"),
];

/// Returns the block with its gaps filled in, or `None` for a block without gaps.
///
/// # Errors
/// A block with gaps that is not listed here, or a listed one without gaps.
pub(super) fn fill(section: &str, text: &str) -> Result<Option<String>, String> {
    let named = ELIDED.iter().any(|block| block.section == section && text.contains(block.holds));
    let gaps = GAPS.iter().any(|(gap, _)| text.contains(gap));
    match (named, gaps) {
        (false, false) => Ok(None),
        (true, true) => {
            Ok(Some(GAPS.iter().fold(text.to_owned(), |text, (gap, filling)| text.replace(gap, filling))))
        }
        (false, true) => Err("leaves parts out and is not one of the named exceptions".into()),
        (true, false) => Err("is a named exception and leaves nothing out".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_block_is_filled_in() {
        let filled = fill("16.4", r#"{"embedding": [0.1, ...]}"#);
        assert_eq!(filled, Ok(Some(r#"{"embedding": [0.1]}"#.to_owned())));
        let filled = fill("16.6", r#"{"tools_loaded":1, "a": { "..." : "..." }}"#);
        assert_eq!(filled, Ok(Some(r#"{"tools_loaded":1, "a": {}}"#.to_owned())));
    }

    #[test]
    fn a_gap_in_any_other_block_and_a_named_block_without_one_fail() {
        assert!(fill("5.4", "[1, ...]").unwrap_err().contains("not one of the named"));
        assert!(fill("16.4", r#"{"embedding": []}"#).unwrap_err().contains("leaves nothing out"));
        assert_eq!(fill("5.4", r#"{"text":"and so on..."}"#), Ok(None));
    }
}

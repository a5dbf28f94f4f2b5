//! Rows for a program to read.

use super::Row;

/// One object on one line: `{"bench", "rows": [...]}`.
pub(crate) fn json(bench: &str, rows: &[Row]) -> String {
    serde_json::json!({ "bench": bench, "rows": rows }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Better;

    #[test]
    fn the_object_has_the_members_that_scripts_read() {
        let text = json("call", &[Row::new("sequential p50", "µs", Better::Lower, 4.0, 12.0)]);
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            serde_json::json!({ "bench": "call", "rows": [
                { "case": "sequential p50", "ours": 4.0, "peer": 12.0, "unit": "µs", "ratio": 3.0 }
            ]})
        );
    }
}

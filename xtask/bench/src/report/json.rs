//! Rows for programs.

use super::Row;
use serde::Serialize;

#[derive(Serialize)]
struct Report<'a> {
    bench: &'a str,
    rows: &'a [Row],
}

/// Writes one object on one line: `{"bench", "rows": [...]}`.
pub(crate) fn json(bench: &str, rows: &[Row]) -> Result<String, String> {
    serde_json::to_string(&Report { bench, rows })
        .map_err(|error| format!("failed to write the rows: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Better;

    #[test]
    fn the_object_has_the_members_that_scripts_read() {
        let text = json("call", &[Row::new("sequential p50", "µs", Better::Lower, 4.0, 12.0)]).unwrap();
        assert_eq!(
            text,
            r#"{"bench":"call","rows":[{"case":"sequential p50","ours":4.0,"peer":12.0,"unit":"µs","ratio":3.0}]}"#
        );
    }
}

//! Rows for people.

use super::Row;
use std::fmt::Write as _;

/// Writes a Markdown table whose columns also line up as plain text.
pub(crate) fn table(rows: &[Row]) -> String {
    let case = rows.iter().map(|row| row.case.len()).chain([4]).max().unwrap_or_default();
    let mut text =
        format!("| {:case$} | {:>10} | {:>10} | {:7} | {:>6} |\n", "case", "ours", "peer", "unit", "ratio");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "|{:-<w$}|-----------:|-----------:|---------|-------:|", "", w = case + 2);
    for row in rows {
        let Row { ours, peer, unit, ratio, .. } = row;
        let _ = writeln!(text, "| {:case$} | {ours:>10} | {peer:>10} | {unit:7} | {ratio:>6.2} |", row.case);
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Better;

    #[test]
    fn the_columns_line_up() {
        let text = table(&[
            Row::new("sequential p50", "µs", Better::Lower, 4.25, 12.0),
            Row::new("64 callers throughput", "calls/s", Better::Higher, 300_000.0, 100_000.0),
        ]);
        let widths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.len() == 4 && widths.iter().all(|width| *width == widths[0]), "{text}");
        assert!(text.contains("|       4.25 |         12 | µs      |   2.82 |"), "{text}");
    }
}

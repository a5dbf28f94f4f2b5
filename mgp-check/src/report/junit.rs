//! The report in the XML that test runners read.

use crate::{CheckOutcome, CheckReport, CheckStatus};
use std::fmt::Write as _;

impl CheckReport {
    /// Returns the report as JUnit's XML.
    #[must_use]
    pub fn to_junit(&self) -> String {
        let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        // Writing into a text cannot fail.
        let _ = writeln!(
            xml,
            "<testsuite name=\"mgp check {}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" timestamp=\"{}\">",
            escaped(&self.target),
            self.outcomes.len(),
            self.count(CheckStatus::Failed),
            self.count(CheckStatus::Skipped),
            self.tested_at
        );
        for outcome in &self.outcomes {
            xml.push_str(&case(outcome));
        }
        xml.push_str("</testsuite>\n");
        xml
    }
}

fn case(outcome: &CheckOutcome) -> String {
    let seconds = outcome.duration_ms as f64 / 1000.0;
    let (area, id) = (outcome.check.area, outcome.check.id);
    let begin = format!("  <testcase classname=\"{area}\" name=\"{id}\" time=\"{seconds:.3}\"");
    let message = escaped(&outcome.message);
    match outcome.status {
        CheckStatus::Passed => format!("{begin}/>\n"),
        CheckStatus::Failed => format!("{begin}><failure message=\"{message}\"/></testcase>\n"),
        CheckStatus::Skipped => format!("{begin}><skipped message=\"{message}\"/></testcase>\n"),
    }
}

/// Returns a text in a form that is valid in an attribute: without markup and without characters that XML does not allow.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other if other.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_server_ends_its_attribute() {
        assert_eq!(escaped("a\"<b>&\u{7}\u{ffff}"), "a&quot;&lt;b&gt;&amp; \u{fffd}");
    }
}

//! One check of a scenario, from the suite's `checks.json`.

use serde::Deserialize;
use serde_json::Value;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Status {
    Success,
    Failure,
    /// A recommended behavior that was not found.
    Warning,
    /// The check could not be made.
    Skipped,
    /// Information without a judgement.
    Info,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Check {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) status: Status,
    #[serde(default)]
    description: String,
    #[serde(default)]
    error_message: Option<String>,
    #[serde(default)]
    pub(crate) details: Option<Value>,
}

impl Check {
    /// Returns the suite's message about the check: the error, if there is one.
    pub(crate) fn message(&self) -> &str {
        let told = || self.details.as_ref()?.get("message")?.as_str();
        self.error_message.as_deref().or_else(told).unwrap_or(&self.description)
    }
}

/// Reads a `checks.json`.
pub(super) fn parse_checks(text: &[u8]) -> Result<Vec<Check>, String> {
    serde_json::from_slice(text).map_err(|error| format!("invalid checks.json: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<Check>, String> {
        parse_checks(text.as_bytes())
    }

    #[test]
    fn a_check_has_its_status_and_the_clearest_message() {
        let checks = parse(
            r#"[
                {"id":"a","name":"A","description":"It is so","status":"SUCCESS","timestamp":"x"},
                {"id":"b","name":"B","description":"It is so","status":"FAILURE","errorMessage":"it is not"},
                {"id":"c","name":"C","description":"It is so","status":"WARNING","details":{"message":"hm"}},
                {"id":"d","name":"D","status":"SKIPPED"},
                {"id":"e","name":"E","description":"By the way","status":"INFO","details":{"message":1}}
            ]"#,
        );
        let checks = checks.unwrap();
        let seen: Vec<_> = checks.iter().map(|check| (check.status, check.message())).collect();
        let expected = [
            (Status::Success, "It is so"),
            (Status::Failure, "it is not"),
            (Status::Warning, "hm"),
            (Status::Skipped, ""),
            (Status::Info, "By the way"),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn an_unknown_status_is_not_a_success() {
        for text in
            ["", "{}", r#"[{"id":"a","name":"A","status":"PASSED"}]"#, r#"[{"id":"a","status":"INFO"}]"#]
        {
            assert!(parse(text).unwrap_err().starts_with("invalid checks.json"), "{text}");
        }
    }
}

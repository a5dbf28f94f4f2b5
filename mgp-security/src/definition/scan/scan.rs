//! Scans the texts of a definition.

use super::{Finding, FindingKind, hidden, instructions};
use crate::profile::counted_members;
use mgp_types::json::{RawJson, check_unique_keys};
use serde_json::Value;

/// The most findings in one definition.
const MAX_FINDINGS: usize = 32;

/// The most texts of one definition that are scanned.
const MAX_TEXTS: usize = 20_000;

/// Scans every text of a definition: the tool's name, title and description, those of its parameters and results, their values and
/// defaults, and the names of members. At most one finding for each reason in each text is returned.
#[must_use]
pub fn scan(definition: &RawJson) -> Vec<Finding> {
    let (mut texts, mut findings) = (Texts::default(), Vec::new());
    let counted = counted_members(definition);
    match counted.decode::<Value>() {
        Ok(value) => texts.collect(&value, &mut String::new()),
        Err(error) => {
            let reason =
                format!("not every parser can read the definition, so its texts cannot be scanned: {error}");
            findings.push(Finding::new(FindingKind::HiddenText, "", reason, ""));
        }
    }
    if check_unique_keys(&counted).is_err() {
        let reason = "a name occurs twice in one object: parsers differ in which one counts";
        findings.push(Finding::new(FindingKind::HiddenText, "", reason, ""));
    }
    for (path, text) in texts.0 {
        findings.extend(hidden::find(&path, &text));
        findings.extend(instructions::find(&path, &text));
        if findings.len() >= MAX_FINDINGS {
            break;
        }
    }
    findings.truncate(MAX_FINDINGS);
    findings
}

/// The texts of a value, with their paths.
#[derive(Default)]
struct Texts(Vec<(String, String)>);

impl Texts {
    fn collect(&mut self, value: &Value, path: &mut String) {
        if self.0.len() >= MAX_TEXTS {
            return;
        }
        match value {
            Value::String(text) => self.0.push((path.clone(), text.clone())),
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    self.below(&at.to_string(), item, path);
                }
            }
            Value::Object(members) => {
                for (key, member) in members {
                    self.0.push((format!("{path}/{key}"), key.clone()));
                    self.below(key, member, path);
                }
            }
            _ => {}
        }
    }

    fn below(&mut self, key: &str, value: &Value, path: &mut String) {
        let length = path.len();
        path.push('/');
        path.push_str(key);
        self.collect(value, path);
        path.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_characters_are_found() {
        for text in [
            r#"{"name":"t","inputSchema":{"maximum":1e999}}"#,
            r#"{"name":"t","inputSchema":{"default":"\ud800"}}"#,
            r#"{"name":"t","inputSchema":{"description":"a","description":"b"}}"#,
        ] {
            let found = scan(&RawJson::parse(text.to_owned()).unwrap());
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(found[0].kind, FindingKind::HiddenText);
        }
    }
}

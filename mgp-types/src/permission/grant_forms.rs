//! The forms in which a decision is written: a word, or an object of later drafts.

use super::{GrantValue, PermissionDecision};
use crate::json::{Nullable, RawJson, RawObject};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A decision as it is written.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PermissionDecision"))]
pub(super) struct WrittenDecision {
    /// The id of the request that is decided.
    request_id: String,
    /// The decision by permission name.
    grants: BTreeMap<String, WrittenGrant>,
    /// The party that decided.
    #[serde(default)]
    approved_by: Nullable<String>,
    /// The time at which the grants expire (RFC 3339); never if `null`.
    #[serde(default)]
    expires_at: Nullable<String>,
    /// The limits of a grant, by permission name: paths, commands, hosts; no limit if absent.
    #[serde(default)]
    scope: Option<RawObject>,
}

/// The decision on one permission as it is written.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum WrittenGrant {
    /// A word.
    Word(GrantValue),
    /// An object, which has `decision` or `granted`.
    Object(GrantObject),
    /// Any other value, which is refused.
    #[cfg_attr(feature = "schema", schemars(skip))]
    Other(Value),
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct GrantObject {
    /// The decision.
    #[serde(default)]
    decision: Option<GrantValue>,
    /// True for an approval, false for a denial.
    #[serde(default)]
    granted: Option<bool>,
    /// The limits of the grant.
    #[serde(default)]
    scope: Option<Value>,
    /// The time at which the grant expires (RFC 3339).
    #[serde(default)]
    expires_at: Option<String>,
}

impl GrantObject {
    fn value(&self, name: &str) -> Result<GrantValue, String> {
        let granted = self.granted.map(|yes| if yes { GrantValue::Approved } else { GrantValue::Denied });
        match (self.decision, granted) {
            (Some(decision), Some(granted)) if decision != granted => Err(format!(
                "grants.{name}: decision and granted contradict each other: expected one of them"
            )),
            (Some(value), _) | (None, Some(value)) => Ok(value),
            (None, None) => Err(format!("grants.{name}: expected decision or granted")),
        }
    }
}

impl TryFrom<WrittenDecision> for PermissionDecision {
    type Error = String;

    fn try_from(written: WrittenDecision) -> Result<Self, String> {
        let WrittenDecision { request_id, grants, approved_by, expires_at, scope } = written;
        let mut decision = Self {
            request_id,
            grants: BTreeMap::new(),
            approved_by,
            expires_at,
            scope,
            expirations: BTreeMap::new(),
        };
        for (name, grant) in grants {
            let value = match grant {
                WrittenGrant::Word(value) => value,
                WrittenGrant::Object(grant) => {
                    let value = grant.value(&name)?;
                    if let Some(scope) = grant.scope.filter(|scope| !scope.is_null()) {
                        let scope = RawJson::from_value(&scope).map_err(|error| error.to_string())?;
                        decision.scope.get_or_insert_default().insert_named(&name, scope);
                    }
                    if let Some(time) = grant.expires_at {
                        decision.expirations.insert(name.clone(), time);
                    }
                    value
                }
                WrittenGrant::Other(found) => {
                    let found: String = found.to_string().chars().take(64).collect();
                    let expected =
                        "expected approved, denied, deferred, or an object with decision or granted";
                    return Err(format!("grants.{name}: {expected}, found {found}"));
                }
            };
            decision.grants.insert(name, value);
        }
        Ok(decision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(grant: &Value) -> Result<PermissionDecision, String> {
        let decision = json!({"request_id": "p", "grants": {"camera": grant}});
        RawJson::from_value(&decision).unwrap().decode().map_err(|error| error.to_string())
    }

    #[test]
    fn a_grant_is_a_word_or_an_object() {
        use GrantValue::{Approved, Deferred, Denied};
        for (grant, expected) in [
            (json!("approved"), Approved),
            (json!("deferred"), Deferred),
            (json!({"granted": true}), Approved),
            (json!({"granted": false}), Denied),
            (json!({"decision": "deferred"}), Deferred),
            (json!({"decision": "denied", "granted": false, "more": 1}), Denied),
        ] {
            assert_eq!(read(&grant).unwrap().grants["camera"], expected, "{grant}");
        }
        let whole =
            json!({"decision": "approved", "scope": {"hosts": ["a"]}, "expires_at": "2026-01-01T00:00:00Z"});
        let decision = read(&whole).unwrap();
        assert_eq!(decision.scope.unwrap().get("camera").unwrap().as_str(), r#"{"hosts":["a"]}"#);
        assert_eq!(decision.expirations["camera"], "2026-01-01T00:00:00Z");
    }

    #[test]
    fn a_malformed_grant_is_an_error_and_grants_nothing() {
        for grant in [
            json!("yes"),
            json!(true),
            json!(null),
            json!([]),
            json!({}),
            json!({"granted": "yes"}),
            json!({"decision": "maybe"}),
            json!({"decision": "approved", "granted": false}),
            json!({"granted": true, "expires_at": 7}),
        ] {
            let error = read(&grant).unwrap_err();
            assert!(error.contains("grants.camera"), "{grant}: {error}");
        }
    }
}

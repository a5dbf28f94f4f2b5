//! Rules that select operations.

use super::glob::matches;
use crate::operation::Method;
use serde::{Deserialize, Serialize};

/// A choice of operations: those that an `include` rule matches, without those that an `exclude` rule matches.
///
/// ```
/// use mgp_openapi::{Method, Rule, Selection};
///
/// let selection = Selection {
///     include: vec![Rule::path("/users/**"), Rule::tag("keys")],
///     exclude: vec![Rule::method(Method::Delete)],
/// };
/// # let _ = selection;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    /// The rules of which one must match. If there are none, every operation is included.
    pub include: Vec<Rule>,
    /// The rules of which none may match.
    pub exclude: Vec<Rule>,
}

/// A rule about operations. All of its members must match; a rule without members matches every operation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Rule {
    /// A tag of the operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// A pattern of paths as the document has them: `*` stands for any characters within a segment, `**` for any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// A pattern of `operationId`, with `*` and `**` as in paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation_id: Option<String>,
}

impl Rule {
    /// Creates a rule that matches the operations with a tag.
    pub fn tag(tag: impl Into<String>) -> Self {
        Self { tag: Some(tag.into()), ..Self::default() }
    }

    /// Creates a rule that matches the operations whose path matches a pattern.
    pub fn path(pattern: impl Into<String>) -> Self {
        Self { path: Some(pattern.into()), ..Self::default() }
    }

    /// Creates a rule that matches the operations with a method.
    #[must_use]
    pub fn method(method: Method) -> Self {
        Self { method: Some(method), ..Self::default() }
    }

    /// Creates a rule that matches the operations whose `operationId` matches a pattern.
    pub fn operation_id(pattern: impl Into<String>) -> Self {
        Self { operation_id: Some(pattern.into()), ..Self::default() }
    }

    fn applies_to(&self, operation: &Candidate<'_>) -> bool {
        self.tag.as_ref().is_none_or(|tag| operation.tags.contains(tag))
            && self.path.as_ref().is_none_or(|pattern| matches(pattern, operation.path))
            && self.method.is_none_or(|method| method == operation.method)
            && self
                .operation_id
                .as_ref()
                .is_none_or(|pattern| operation.operation_id.is_some_and(|id| matches(pattern, id)))
    }
}

/// The features of an operation that rules are about.
#[derive(Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) tags: &'a [String],
    pub(crate) path: &'a str,
    pub(crate) method: Method,
    pub(crate) operation_id: Option<&'a str>,
}

impl Selection {
    /// Returns whether an operation is selected.
    pub(crate) fn selects(&self, operation: &Candidate<'_>) -> bool {
        let is_included =
            self.include.is_empty() || self.include.iter().any(|rule| rule.applies_to(operation));
        is_included && !self.exclude.iter().any(|rule| rule.applies_to(operation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selection: &str, path: &str, method: Method) -> bool {
        let selection: Selection = serde_json::from_str(selection).unwrap();
        let tags = ["users".to_owned()];
        selection.selects(&Candidate { tags: &tags, path, method, operation_id: Some("users/list") })
    }

    #[test]
    fn an_operation_must_be_included_and_not_excluded() {
        for (selection, expected) in [
            ("{}", true),
            (r#"{"include": [{"tag": "users"}]}"#, true),
            (r#"{"include": [{"tag": "keys"}]}"#, false),
            (r#"{"include": [{"tag": "keys"}, {"path": "/users/*"}]}"#, true),
            (r#"{"include": [{"tag": "users", "method": "DELETE"}]}"#, false),
            (r#"{"include": [{"operationId": "users/*"}], "exclude": [{"method": "post"}]}"#, true),
            (r#"{"exclude": [{"method": "get"}]}"#, false),
            (r#"{"exclude": [{}]}"#, false),
        ] {
            assert_eq!(selects(selection, "/users/{id}", Method::Get), expected, "{selection}");
        }
    }

    #[test]
    fn an_unknown_member_or_method_is_refused() {
        for text in [
            r#"{"includes": []}"#,
            r#"{"include": [{"tags": "a"}]}"#,
            r#"{"include": [{"method": "FETCH"}]}"#,
        ] {
            assert!(serde_json::from_str::<Selection>(text).is_err(), "{text}");
        }
    }
}

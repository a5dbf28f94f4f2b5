//! The part of a result that is selected by a JSON pointer or a JMESPath expression.

use jmespath::Expression;
use mgp_types::json::JsonPointer;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// A selection of a part of a JSON value.
///
/// ```
/// use mgp_discovery::config::ResultSelection;
/// use serde_json::json;
///
/// let value = json!({"items": [{"name": "a", "size": 1}, {"name": "b", "size": 2}]});
/// assert_eq!(ResultSelection::parse("/items/0/name")?.select(&value), Some(json!("a")));
/// assert_eq!(ResultSelection::parse("items[*].name")?.select(&value), Some(json!(["a", "b"])));
/// assert_eq!(ResultSelection::parse("/nothing")?.select(&value), None);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResultSelection {
    written: String,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Pointer(String),
    JmesPath(Expression<'static>),
}

impl ResultSelection {
    /// Parses a selection. One that begins with a slash is a JSON pointer.
    ///
    /// # Errors
    /// A sentence with the fault of the expression.
    pub fn parse(text: &str) -> Result<Self, String> {
        let kind = if text.starts_with('/') {
            JsonPointer::parse(text)
                .ok_or_else(|| format!("{text:?} is not a JSON pointer: expected ~0 and ~1 for ~ and /"))?;
            Kind::Pointer(text.to_owned())
        } else {
            let compiled = jmespath::compile(text);
            Kind::JmesPath(compiled.map_err(|error| {
                let reason = error.to_string();
                let reason = reason.lines().next().unwrap_or_default().to_owned();
                format!("{text:?} is neither a JSON pointer such as \"/items\" nor JMESPath: {reason}")
            })?)
        };
        Ok(Self { written: text.to_owned(), kind })
    }

    /// Returns the selected part; `None` if the value has no such part.
    #[must_use]
    pub fn select(&self, value: &Value) -> Option<Value> {
        match &self.kind {
            Kind::Pointer(pointer) => value.pointer(pointer).cloned(),
            Kind::JmesPath(expression) => {
                let found = expression.search(value).ok()?;
                serde_json::to_value(&*found).ok().filter(|found| !found.is_null())
            }
        }
    }
}

impl TryFrom<String> for ResultSelection {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

impl From<ResultSelection> for String {
    fn from(selection: ResultSelection) -> Self {
        selection.written
    }
}

impl PartialEq for ResultSelection {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl fmt::Debug for ResultSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ResultSelection").field(&self.written).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_broken_expression_is_refused_with_its_fault() {
        for text in ["/a~2", "items[", "", "a b"] {
            let error = ResultSelection::parse(text).unwrap_err();
            assert!(error.contains(&format!("{text:?}")), "{error}");
        }
    }

    #[test]
    fn parts_of_every_kind_are_selected() {
        let value = json!({"a": {"b": [1, {"c": "x"}]}, "n": null, "/": 7});
        for (text, expected) in [
            ("/a/b/1/c", Some(json!("x"))),
            ("/~1", Some(json!(7))),
            ("/n", Some(json!(null))),
            ("/a/z", None),
            ("a.b[0]", Some(json!(1))),
            ("{first: a.b[0]}", Some(json!({"first": 1}))),
            ("a.z", None),
            ("length(a.b)", Some(json!(2))),
        ] {
            assert_eq!(ResultSelection::parse(text).unwrap().select(&value), expected, "{text}");
        }
    }
}

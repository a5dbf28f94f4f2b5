//! `[[servers.tools]]`: the tools of a server as the operator wants them.

use super::{result_selection::ResultSelection, text::Text};
use mgp_types::context::RiskLevel;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One `[[servers.tools]]` table: changes of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct ToolShape {
    /// The tool's name at its server. Unique. See [shaping.md](https://github.com/mgp-rs/mgp/blob/main/docs/shaping.md).
    pub name: String,
    /// The name that the tool has in the gateway: for hosts, in rules and in the rest of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rename: Option<String>,
    /// The display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The description, or `{ prepend = "..." }` for a text before the server's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<ShapedDescription>,
    /// True if the tool does not exist in the gateway.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hide: bool,
    /// Arguments with fixed values, which hosts neither see nor send. `"${session.agent}"` is the agent of the call.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, FixedValue>,
    /// The values of arguments that a call leaves out.
    #[serde(default)]
    pub defaults: Map<String, Value>,
    /// The hints about the tool's effects that replace the server's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ShapedAnnotations>,
    /// The risk, whatever the server declares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<RiskLevel>,
    /// The part of the result that hosts get: a JSON pointer, or an expression of JMESPath.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub result: Option<ResultSelection>,
    /// The most tokens of a result's texts. The rest is cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1_000_000)))]
    pub max_tokens: Option<u64>,
    /// The seconds for which a result is repeated to the same caller and for the same arguments. Only for tools with the hint `readOnlyHint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400)))]
    pub cache_secs: Option<u64>,
}

impl ToolShape {
    /// Creates a shape that changes nothing.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            rename: None,
            title: None,
            description: None,
            hide: false,
            arguments: BTreeMap::new(),
            defaults: Map::new(),
            annotations: None,
            risk: None,
            result: None,
            max_tokens: None,
            cache_secs: None,
        }
    }

    /// Returns the name that the tool has in the gateway.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        self.rename.as_deref().unwrap_or(&self.name)
    }
}

/// A description of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ShapedDescription {
    /// The whole description.
    Whole(String),
    /// A text before the server's own description.
    Before {
        /// The text.
        prepend: String,
    },
}

/// Hints about a tool's effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct ShapedAnnotations {
    /// True if the tool changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// True if the tool may destroy or overwrite things.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// True if a repeated call changes nothing more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// True if the tool reaches things outside of the server's own domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

/// The fixed value of an argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Value", into = "Value")]
pub enum FixedValue {
    /// The agent of the call.
    Agent,
    /// A text, in which variables are expanded.
    Text(Text),
    /// Any other value.
    Json(Value),
}

/// The text that stands for the agent of a call.
const AGENT: &str = "${session.agent}";

impl From<Value> for FixedValue {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) if text == AGENT => Self::Agent,
            Value::String(text) => Self::Text(text.into()),
            value => Self::Json(value),
        }
    }
}

impl From<FixedValue> for Value {
    fn from(value: FixedValue) -> Self {
        match value {
            FixedValue::Agent => AGENT.into(),
            FixedValue::Text(text) => text.written().into(),
            FixedValue::Json(value) => value,
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for FixedValue {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FixedValue".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "x-type": "any value, `${VAR}`" })
    }
}

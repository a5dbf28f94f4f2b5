//! The definition of a tool, with MGP's security metadata (§4.2).

use super::Icon;
use crate::{
    json::{RawJson, RawObject},
    tool_security::SecurityMetadata,
};
use serde::{Deserialize, Serialize};

open_object! {
    /// A tool as a server lists it.
    pub struct Tool {
        /// The name to call it by.
        required name: String = "name",
        /// The name, for people.
        optional title: String = "title",
        /// What it does, for a model.
        optional description: String = "description",
        /// JSON Schema of its arguments. Absent only in fragments.
        raw input_schema: RawJson = "inputSchema",
        /// JSON Schema of its structured content.
        raw output_schema: RawJson = "outputSchema",
        /// What the server says of its effects. Not to be trusted.
        optional annotations: ToolAnnotations = "annotations",
        /// Pictures of it.
        list icons: Icon = "icons",
        /// What MCP and its extensions say about it.
        optional meta: RawObject = "_meta",
        /// MGP's security metadata (§4.3).
        optional security: SecurityMetadata = "security",
    }
}

impl Tool {
    /// A tool with a name and a schema of its arguments.
    pub fn new(name: impl Into<String>, input_schema: RawJson) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema: Some(input_schema),
            output_schema: None,
            annotations: None,
            icons: Vec::new(),
            meta: None,
            security: None,
            other: RawObject::new(),
        }
    }
}

/// What a server says of a tool's effects.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// The name, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// It changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// It may destroy what is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Calling it again changes nothing more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// It reaches things outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_are_not_known_stay() {
        let text =
            r#"{"name":"a","inputSchema":{"maximum":1e500},"execution":{"taskSupport":"optional"},"x":null}"#;
        let tool: Tool = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&tool).unwrap(), text);
    }

    #[test]
    fn a_wrong_member_is_named() {
        let read = |text| serde_json::from_str::<Tool>(text).unwrap_err().to_string();
        assert!(read(r#"{"title":"a"}"#).contains("missing name"));
        assert!(read(r#"{"name":7}"#).contains("invalid name: invalid type: integer `7`"));
    }
}

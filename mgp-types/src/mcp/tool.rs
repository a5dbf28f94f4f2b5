//! The definition of a tool, with MGP's security metadata (§4.2).

use super::Icon;
use crate::{
    json::{RawJson, RawObject},
    tool_security::SecurityMetadata,
};
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};

open_object! {
    /// A tool as a server lists it. A member of another form than it should have is kept among the `other` ones.
    pub struct Tool {
        /// The name to call it by.
        required name: String = "name",
        /// The name, for people.
        lenient title: String = "title",
        /// What it does, for a model.
        lenient description: String = "description",
        /// JSON Schema of its arguments. Absent only in fragments.
        raw input_schema: RawJson = "inputSchema",
        /// JSON Schema of its structured content.
        raw output_schema: RawJson = "outputSchema",
        /// What the server says of its effects. Not to be trusted.
        lenient annotations: ToolAnnotations = "annotations",
        /// Pictures of it.
        lenient_list icons: Icon = "icons",
        /// What MCP and its extensions say about it.
        lenient meta: RawObject = "_meta",
        /// MGP's security metadata (§4.3).
        lenient security: SecurityMetadata = "security",
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

/// What a server says of a tool's effects. A member of another form than it should have says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// The name, for people.
    #[serde(default, deserialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// It changes nothing.
    #[serde(default, deserialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// It may destroy what is there.
    #[serde(default, deserialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Calling it again changes nothing more.
    #[serde(default, deserialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// It reaches things outside.
    #[serde(default, deserialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

/// Reads a value; none of another form, so that it does not hide its neighbours.
fn readable<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(RawJson::deserialize(deserializer)?.decode::<Option<T>>().ok().flatten())
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

    #[test]
    fn a_member_of_another_form_costs_no_tool_and_is_written_as_it_came() {
        let text = r#"{"name":"a","title":7,"description":[],"annotations":"none","icons":{},"_meta":1,"security":[{"oauth2":[]}]}"#;
        let tool: Tool = serde_json::from_str(text).unwrap();
        assert!(tool.title.is_none() && tool.annotations.is_none() && tool.security.is_none());
        assert_eq!(serde_json::to_string(&tool).unwrap(), text);
        let sloppy: Tool = serde_json::from_str(
            r#"{"name":"a","annotations":{"title":7,"readOnlyHint":"yes","destructiveHint":true}}"#,
        )
        .unwrap();
        let hints = sloppy.annotations.unwrap();
        assert_eq!((hints.read_only_hint, hints.destructive_hint), (None, Some(true)));
        let mended = Tool { title: Some("A".into()), ..tool };
        assert!(
            serde_json::to_string(&mended)
                .unwrap()
                .starts_with(r#"{"name":"a","title":"A","description":[]"#)
        );
    }
}

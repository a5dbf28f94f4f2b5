//! The definition of a tool, with MGP's security metadata (§4.2).

use super::Icon;
use crate::{
    json::{RawJson, RawObject},
    tool_annotations::ToolAnnotations,
    tool_security::SecurityMetadata,
};

open_object! {
    /// A tool as a server lists it. A member that does not have the expected form is kept in `other`.
    #[derive(Default)]
    pub struct Tool {
        /// The name by which to call the tool.
        required name: String = "name",
        /// The name, for people.
        lenient title: String = "title",
        /// The purpose of the tool, for a model.
        lenient description: String = "description",
        /// JSON Schema of the arguments. Absent only in fragments.
        raw input_schema: RawJson = "inputSchema",
        /// JSON Schema of the structured content.
        raw output_schema: RawJson = "outputSchema",
        /// The server's hints about the tool's effects. Not to be trusted.
        lenient annotations: ToolAnnotations = "annotations",
        /// Pictures of the tool.
        lenient_list icons: Icon = "icons",
        /// Metadata of MCP and its extensions about the tool.
        lenient meta: RawObject = "_meta",
        /// MGP's security metadata (§4.3).
        lenient security: SecurityMetadata = "security",
    }
}

impl Tool {
    /// Creates a tool with a name and a schema of its arguments.
    pub fn new(name: impl Into<String>, input_schema: RawJson) -> Self {
        Self { name: name.into(), input_schema: Some(input_schema), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_members_stay() {
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
    fn a_member_of_another_form_is_kept_and_costs_no_tool() {
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

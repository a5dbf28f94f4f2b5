//! `tools/list`, `tools/call`, `notifications/tools/list_changed`.

use super::{ContentBlock, Cursor, PageParams, Tool};
use crate::{
    json::{JsonError, RawJson, RawObject},
    rpc::Empty,
};

calls! {
    /// Lists a server's tools.
    control ListTools = "tools/list": PageParams => ListToolsResult;
    /// Calls a tool. It is no [`Control`](crate::rpc::Control) request, so that only the pipeline can send it:
    ///
    /// ```compile_fail,E0277
    /// fn send_past_the_pipeline<C: mgp_types::rpc::Control>() {}
    /// send_past_the_pipeline::<mgp_types::mcp::CallTool>();
    /// ```
    call CallTool = "tools/call": CallToolParams => CallToolResult;
}

notices! {
    /// The list of tools is another one now.
    ToolListChanged = "notifications/tools/list_changed": Empty;
}

open_object! {
    /// One page of a server's tools.
    pub struct ListToolsResult {
        /// The tools, in the server's order.
        items tools: Tool = "tools",
        /// Where the next page starts; absent on the last one.
        optional next_cursor: Cursor = "nextCursor",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

/// A tool whose definition cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableTool {
    /// Its name, where that can be read.
    pub name: Option<String>,
    /// Its place in the list, from 0.
    pub place: usize,
    /// What is wrong.
    pub problem: JsonError,
}

impl ListToolsResult {
    /// A list in one page.
    #[must_use]
    pub fn new(tools: Vec<Tool>) -> Self {
        Self { tools, next_cursor: None, meta: None, other: RawObject::new() }
    }

    /// Reads a list tool by tool, so that one that cannot be read does not hide the others.
    ///
    /// # Errors
    /// [`JsonError`] where the list itself cannot be read.
    pub fn read_each(result: &RawJson) -> Result<(Self, Vec<UnreadableTool>), JsonError> {
        let mut object = RawObject::from_json(result)?;
        let definitions: Vec<RawJson> = object.take("tools")?.ok_or(JsonError::Missing("tools"))?;
        let mut list = Self::from_object(object)?;
        let mut unreadable = Vec::new();
        for (place, definition) in definitions.into_iter().enumerate() {
            let object = RawObject::from_json(&definition);
            let name = object.as_ref().ok().and_then(|object| object.text("name"));
            match object.and_then(Tool::from_object) {
                Ok(tool) => list.tools.push(tool),
                Err(problem) => unreadable.push(UnreadableTool { name, place, problem }),
            }
        }
        Ok((list, unreadable))
    }
}

open_object! {
    /// Which tool to call, and with what.
    pub struct CallToolParams {
        /// The tool's name.
        required name: String = "name",
        /// Its arguments.
        raw arguments: RawJson = "arguments",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
        /// What MGP says about the message, such as `stream` (§12.3). Never stands inside the arguments.
        optional mgp: RawObject = "_mgp",
    }
}

impl CallToolParams {
    /// A call with arguments.
    pub fn new(name: impl Into<String>, arguments: RawJson) -> Self {
        Self { name: name.into(), arguments: Some(arguments), meta: None, mgp: None, other: RawObject::new() }
    }
}

open_object! {
    /// What a tool answers.
    pub struct CallToolResult {
        /// The answer, for a model.
        items content: ContentBlock = "content",
        /// The answer, for a program.
        raw structured_content: RawJson = "structuredContent",
        /// Whether the tool failed.
        optional is_error: bool = "isError",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
        /// What MGP says about the message, such as how it was streamed (§12.5).
        optional mgp: RawObject = "_mgp",
    }
}

impl CallToolResult {
    /// An answer in content blocks.
    #[must_use]
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self {
            content,
            structured_content: None,
            is_error: None,
            meta: None,
            mgp: None,
            other: RawObject::new(),
        }
    }

    /// An answer of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }

    /// A failure that the model is told about.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: Some(true), ..Self::text(text) }
    }

    /// Whether the tool failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.is_error == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_arguments_and_null_structured_content_stay_null() {
        let text = r#"{"name":"a","arguments":null,"task":{"ttl":1}}"#;
        let params: CallToolParams = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&params).unwrap(), text);
        let text = r#"{"content":[],"structuredContent":null}"#;
        let result: CallToolResult = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
    }

    #[test]
    fn a_tool_that_cannot_be_read_does_not_hide_the_others() {
        let text = r#"{"tools":[{"name":"a","security":{"risk_level":"huge"}},7,{"name":"b","inputSchema":{}}],"ttlMs":1,"nextCursor":"c"}"#;
        let (list, unreadable) = ListToolsResult::read_each(&RawJson::parse(text).unwrap()).unwrap();
        assert_eq!(list.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["b"]);
        assert_eq!(list.next_cursor, Some(Cursor("c".into())));
        assert_eq!(unreadable[0].name.as_deref(), Some("a"));
        let problem = unreadable[0].problem.to_string();
        assert!(problem.contains(r#"unknown variant `huge`"#) && problem.contains("security"), "{problem}");
        assert_eq!((&unreadable[1].name, unreadable[1].place), (&None, 1));
    }

    #[test]
    fn a_failure_says_so() {
        let failure = CallToolResult::error("no");
        assert!(failure.failed() && !CallToolResult::text("yes").failed());
        assert_eq!(
            serde_json::to_string(&failure).unwrap(),
            r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#
        );
    }
}

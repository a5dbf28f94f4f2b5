//! `tools/list`, `tools/call`, `notifications/tools/list_changed`.

use super::{ContentBlock, Cursor, PageParams, Tool};
use crate::{
    checkpoint::CheckpointToken,
    idempotency::ReplayNote,
    json::{Nullable, RawJson, RawObject},
    reference::DataReference,
    rpc::Empty,
    session_state::SessionStateToken,
};

calls! {
    /// Lists a server's tools.
    control ListTools = "tools/list": PageParams => ListToolsResult;
    /// Calls a tool. It is not a [`Control`](crate::rpc::Control) request, so that only the pipeline can send it:
    ///
    /// ```compile_fail,E0277
    /// fn send_past_the_pipeline<C: mgp_types::rpc::Control>() {}
    /// send_past_the_pipeline::<mgp_types::mcp::CallTool>();
    /// ```
    call CallTool = "tools/call": CallToolParams => CallToolResult;
}

notices! {
    /// Reports that the list of tools has changed.
    ToolListChanged = "notifications/tools/list_changed": Empty;
}

open_object! {
    /// One page of a server's tools.
    pub struct ListToolsResult {
        /// The tools, in the server's order.
        items tools: Tool = "tools",
        /// The start of the next page; absent on the last page.
        optional next_cursor: Cursor = "nextCursor",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl ListToolsResult {
    /// Creates a list in one page.
    #[must_use]
    pub fn new(tools: Vec<Tool>) -> Self {
        Self { tools, next_cursor: None, meta: None, other: RawObject::new() }
    }
}

open_object! {
    /// The tool to call, and its arguments.
    pub struct CallToolParams {
        /// The tool's name.
        required name: String = "name",
        /// Its arguments.
        raw arguments: RawJson = "arguments",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
        /// MGP's metadata about the message, such as `stream` (§12.3). Never inside the arguments.
        optional mgp: RawObject = "_mgp",
    }
}

impl CallToolParams {
    /// Creates a call with arguments.
    pub fn new(name: impl Into<String>, arguments: RawJson) -> Self {
        Self { name: name.into(), arguments: Some(arguments), meta: None, mgp: None, other: RawObject::new() }
    }
}

open_object! {
    /// A tool's answer.
    #[derive(Default)]
    pub struct CallToolResult {
        /// The answer, for a model.
        items content: ContentBlock = "content",
        /// The answer, for a program.
        raw structured_content: RawJson = "structuredContent",
        /// True if the tool failed.
        optional is_error: bool = "isError",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
        /// MGP's metadata about the message, such as the summary of the stream (§12.5).
        optional mgp: RawObject = "_mgp",
    }
}

impl CallToolResult {
    /// Creates an answer of content blocks.
    #[must_use]
    pub fn new(content: Vec<ContentBlock>) -> Self {
        Self { content, ..Self::default() }
    }

    /// Creates an answer of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }

    /// Creates a failure that the model gets as its answer.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: Some(true), ..Self::text(text) }
    }

    /// Returns the checkpoint from which a later call of the tool can continue, if any.
    #[must_use]
    pub fn checkpoint(&self) -> Option<CheckpointToken> {
        CheckpointToken::in_meta(self.meta.as_ref()?)
    }

    /// Returns the state of the session for the next call of the server, if the result has one; `null` ends the session.
    #[must_use]
    pub fn session_state(&self) -> Nullable<SessionStateToken> {
        self.meta.as_ref().map_or(Nullable::Absent, SessionStateToken::in_meta)
    }

    /// Returns the reference to the data that a gateway kept instead of the result, if any.
    #[must_use]
    pub fn reference(&self) -> Option<DataReference> {
        DataReference::in_meta(self.meta.as_ref()?)
    }

    /// Returns the note of a call with an idempotency key, which states whether the result is that of an earlier call.
    #[must_use]
    pub fn replay_note(&self) -> Option<ReplayNote> {
        ReplayNote::in_meta(self.meta.as_ref()?)
    }

    /// Returns whether the tool failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.is_error == Some(true)
    }

    /// Returns whether a tool's answer states that the tool failed. Reads no other member.
    #[must_use]
    pub fn says_error(answer: &RawJson) -> bool {
        answer.may_hold("isError")
            && RawObject::from_json(answer)
                .is_ok_and(|answer| answer.get("isError").is_some_and(|value| value.as_str() == "true"))
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
    fn an_answer_is_an_error_only_if_its_member_is_true() {
        for (text, says) in [
            (r#"{"content":[],"isError":true}"#, true),
            (r#"{"isError":false}"#, false),
            (r#"{"isError":"true"}"#, false),
            (r#"{"content":[{"isError":true}]}"#, false),
            ("[]", false),
        ] {
            assert_eq!(CallToolResult::says_error(&RawJson::parse(text).unwrap()), says, "{text}");
        }
    }

    #[test]
    fn a_failure_is_marked_as_one() {
        let failure = CallToolResult::error("no");
        assert!(failure.failed() && !CallToolResult::text("yes").failed());
        assert_eq!(
            serde_json::to_string(&failure).unwrap(),
            r#"{"content":[{"type":"text","text":"no"}],"isError":true}"#
        );
    }
}

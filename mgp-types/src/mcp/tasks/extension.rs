//! The extension `io.modelcontextprotocol/tasks` of the stateless revision 2026-07-28: the server decides whether a
//! request becomes a task, and `tasks/get` returns questions and results.

use super::Task;
use crate::{
    json::{RawJson, RawObject},
    mcp::{ClientCapabilities, McpErrorCode, ServerCapabilities},
    rpc::{Empty, ErrorObject},
};

/// The name of the extension, in the `extensions` of both sides' capabilities.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

calls! {
    /// Answers the questions of a task.
    control UpdateTask = "tasks/update": UpdateTaskParams => Empty;
}

notices! {
    /// Reports that the status of a task has changed. Sent to clients that requested it with `subscriptions/listen`.
    TaskChanged = "notifications/tasks": Task;
}

open_object! {
    /// The answers to a task's questions.
    pub struct UpdateTaskParams {
        /// The task's id.
        required task_id: String = "taskId",
        /// The answers by key, each the result of the requested method.
        required input_responses: RawObject = "inputResponses",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl UpdateTaskParams {
    /// Creates the params with answers for a task.
    pub fn new(task_id: impl Into<String>, input_responses: RawObject) -> Self {
        Self { task_id: task_id.into(), input_responses, meta: None, other: RawObject::new() }
    }
}

impl ClientCapabilities {
    /// Adds the capability to accept tasks as answers (2026-07-28).
    #[must_use]
    pub fn with_tasks(mut self) -> Self {
        add_extension(&mut self.0);
        self
    }

    /// Returns whether the client accepts tasks as answers (2026-07-28).
    #[must_use]
    pub fn takes_tasks(&self) -> bool {
        has_extension(&self.0)
    }
}

impl ServerCapabilities {
    /// Returns whether the server has the extension (2026-07-28).
    #[must_use]
    pub fn has_tasks_extension(&self) -> bool {
        has_extension(&self.0)
    }

    /// Returns the capabilities in the form of the stateless revisions, where tasks are an extension.
    #[must_use]
    pub fn with_tasks_as_extension(mut self) -> Self {
        if self.0.remove("tasks").is_some() {
            add_extension(&mut self.0);
        }
        self
    }
}

fn has_extension(capabilities: &RawObject) -> bool {
    let extensions = capabilities.object("extensions");
    extensions.is_some_and(|extensions| extensions.get(TASKS_EXTENSION).is_some_and(RawJson::is_object))
}

fn add_extension(capabilities: &mut RawObject) {
    let mut extensions = capabilities.object("extensions").unwrap_or_default();
    if extensions.get(TASKS_EXTENSION).is_none() {
        extensions.insert(TASKS_EXTENSION, RawJson::empty_object());
    }
    capabilities.insert("extensions", extensions.to_json());
}

/// Creates the error for a request that requires a client that accepts tasks as answers.
#[must_use]
pub fn tasks_not_declared() -> ErrorObject {
    let nested = |key: &'static str, inner: RawJson| RawObject::from_iter([(key, inner)]).to_json();
    let extensions = nested("extensions", nested(TASKS_EXTENSION, RawJson::empty_object()));
    let problem = format!("missing capability: expected extensions[{TASKS_EXTENSION:?}] of the client");
    ErrorObject::new(McpErrorCode::MissingRequiredClientCapability, problem)
        .with_data(nested("requiredCapabilities", extensions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_s_capabilities_are_read_and_written() {
        let read = |text: &str| serde_json::from_str::<ClientCapabilities>(text).unwrap().takes_tasks();
        assert!(read(r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#));
        assert!(
            !read(r#"{"tasks":{}}"#) && !read(r#"{"extensions":{"io.modelcontextprotocol/tasks":true}}"#)
        );
        let client = ClientCapabilities::default().with_tasks();
        assert!(client.takes_tasks());
        let server: ServerCapabilities =
            serde_json::from_str(r#"{"tasks":{"list":{}},"extensions":{"a/b":{}}}"#).unwrap();
        assert!(
            !server.has_tasks_extension() && server.clone().with_tasks_as_extension().has_tasks_extension()
        );
        assert_eq!(
            serde_json::to_string(&server.with_tasks_as_extension()).unwrap(),
            r#"{"extensions":{"a/b":{},"io.modelcontextprotocol/tasks":{}}}"#
        );
        let none = ClientCapabilities::default();
        assert!(!none.takes_tasks() && none.with_tasks().takes_tasks());
        let said = r#"{"extensions":{"a/b":{},"io.modelcontextprotocol/tasks":{"x":1}}}"#;
        let read: ClientCapabilities = serde_json::from_str(said).unwrap();
        assert_eq!(serde_json::to_string(&read.with_tasks()).unwrap(), said);
        assert_eq!(
            tasks_not_declared().data.unwrap().as_str(),
            r#"{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#
        );
    }
}

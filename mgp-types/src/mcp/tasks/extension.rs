//! The extension `io.modelcontextprotocol/tasks` of the stateless revision 2026-07-28: the server decides whether a
//! request becomes a task, and `tasks/get` returns questions and results.

use super::{TaskStatus, core::TaskParams};
use crate::{
    json::{RawJson, RawObject},
    mcp::{ClientCapabilities, McpErrorCode, ServerCapabilities, stateless::ResultType},
    rpc::{Empty, ErrorObject},
};

/// The name of the extension, in the `extensions` of both sides' capabilities.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

calls! {
    /// Asks for the status of a task, with its questions or its result.
    control GetTask = "tasks/get": TaskParams => Task;
    /// Answers the questions of a task.
    control UpdateTask = "tasks/update": UpdateTaskParams => Empty;
    /// Reports that a task is no longer wanted.
    control CancelTask = "tasks/cancel": TaskParams => Empty;
}

notices! {
    /// Reports that the status of a task has changed. Sent to clients that asked for it with `subscriptions/listen`.
    TaskChanged = "notifications/tasks": Task;
}

open_object! {
    /// A task, with the members that belong to its status.
    pub struct Task {
        /// The task's id.
        required task_id: String = "taskId",
        /// The status.
        required status: TaskStatus = "status",
        /// The status in words.
        optional status_message: String = "statusMessage",
        /// The time at which the task was created, in ISO 8601.
        required created_at: String = "createdAt",
        /// The time of the last change, in ISO 8601.
        required last_updated_at: String = "lastUpdatedAt",
        /// The time for which the task is kept, from its creation, in milliseconds; without limit if `None`.
        required ttl_ms: Option<u64> = "ttlMs",
        /// The time to wait between two requests for the status, in milliseconds.
        optional poll_interval_ms: u64 = "pollIntervalMs",
        /// The task's questions, by the keys under which they are answered. Only present while the task waits for input.
        optional input_requests: RawObject = "inputRequests",
        /// The task's result. Only present if the task is completed.
        raw result: RawJson = "result",
        /// The reason for the failure. Only present if the task has failed.
        optional error: ErrorObject = "error",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl Task {
    /// Returns the answer to a request that has become this task, without the members that belong to its status.
    #[must_use]
    pub fn to_create_result(&self) -> RawJson {
        let seed = Self { input_requests: None, result: None, error: None, ..self.clone() };
        // Texts and numbers beside raw JSON, so writing cannot fail.
        let members = RawJson::from_value(&seed).and_then(|json| RawObject::from_json(&json));
        let mut result = RawObject::new();
        result.insert("resultType", RawJson::string(ResultType::Task.as_str()));
        for (key, value) in members.unwrap_or_default().iter() {
            result.insert_named(key, value.clone());
        }
        result.to_json()
    }
}

open_object! {
    /// The answers to a task's questions.
    pub struct UpdateTaskParams {
        /// The task's id.
        required task_id: String = "taskId",
        /// The answers by key, each the result of the method that was asked for.
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
    /// Adds the capability to take tasks for answers (2026-07-28).
    #[must_use]
    pub fn with_tasks(mut self) -> Self {
        let mut extensions = self.0.object("extensions").unwrap_or_default();
        if extensions.get(TASKS_EXTENSION).is_none() {
            extensions.insert(TASKS_EXTENSION, RawJson::empty_object());
        }
        self.0.insert("extensions", extensions.to_json());
        self
    }

    /// Returns whether the client takes tasks for answers (2026-07-28).
    #[must_use]
    pub fn takes_tasks(&self) -> bool {
        let extensions = self.0.object("extensions");
        extensions.is_some_and(|extensions| extensions.get(TASKS_EXTENSION).is_some_and(RawJson::is_object))
    }
}

impl ServerCapabilities {
    /// Returns whether the server has the extension (2026-07-28).
    #[must_use]
    pub fn has_tasks_extension(&self) -> bool {
        let extensions = self.0.object("extensions");
        extensions.is_some_and(|extensions| extensions.get(TASKS_EXTENSION).is_some_and(RawJson::is_object))
    }

    /// Returns the capabilities in the form of the stateless revisions, where tasks are an extension.
    #[must_use]
    pub fn with_tasks_as_extension(mut self) -> Self {
        if self.0.remove("tasks").is_some() {
            let mut extensions = self.0.object("extensions").unwrap_or_default();
            extensions.insert(TASKS_EXTENSION, RawJson::empty_object());
            self.0.insert("extensions", extensions.to_json());
        }
        self
    }
}

/// Creates the error for a request that needs a client that takes tasks for answers.
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
    fn a_task_comes_out_as_it_went_in() {
        let text = r#"{"taskId":"t","status":"input_required","createdAt":"c","lastUpdatedAt":"u","ttlMs":null,"inputRequests":{"k":{"n":1e500}},"x":null}"#;
        let task: Task = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&task).unwrap(), text);
    }

    #[test]
    fn the_answer_that_names_a_task_says_so_and_holds_nothing_of_its_status() {
        let text = r#"{"taskId":"t","status":"completed","createdAt":"c","lastUpdatedAt":"u","ttlMs":5,"result":{},"inputRequests":{},"error":{"code":1,"message":"m"}}"#;
        let task: Task = serde_json::from_str(text).unwrap();
        assert_eq!(
            task.to_create_result().as_str(),
            r#"{"resultType":"task","taskId":"t","status":"completed","createdAt":"c","lastUpdatedAt":"u","ttlMs":5}"#
        );
    }

    #[test]
    fn capabilities_are_read_and_said_where_the_extension_has_them() {
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

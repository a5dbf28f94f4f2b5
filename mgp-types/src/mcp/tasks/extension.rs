//! The extension `io.modelcontextprotocol/tasks` of the stateless revision 2026-07-28: the server decides, and `tasks/get`
//! brings questions and results.

use super::{TaskStatus, core::TaskParams};
use crate::{
    json::{RawJson, RawObject},
    mcp::{ClientCapabilities, McpErrorCode, ServerCapabilities, stateless::ResultType},
    rpc::{Empty, ErrorObject},
};

/// The name of the extension, in the `extensions` of both sides' capabilities.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

calls! {
    /// Asks how far a task has come, and for what it asks or answers.
    control GetTask = "tasks/get": TaskParams => Task;
    /// Answers what a task asks.
    control UpdateTask = "tasks/update": UpdateTaskParams => Empty;
    /// Says that a task is no longer wanted.
    control CancelTask = "tasks/cancel": TaskParams => Empty;
}

notices! {
    /// A task has come further. Told to those who asked for it with `subscriptions/listen`.
    TaskChanged = "notifications/tasks": Task;
}

open_object! {
    /// A task, with what belongs to its status.
    pub struct Task {
        /// Its id.
        required task_id: String = "taskId",
        /// How far it has come.
        required status: TaskStatus = "status",
        /// The same in words.
        optional status_message: String = "statusMessage",
        /// When it was made, in ISO 8601.
        required created_at: String = "createdAt",
        /// When it last changed, in ISO 8601.
        required last_updated_at: String = "lastUpdatedAt",
        /// How long it is kept from when it was made, in milliseconds; without end where `None`.
        required ttl_ms: Option<u64> = "ttlMs",
        /// How long to wait between two looks at it, in milliseconds.
        optional poll_interval_ms: u64 = "pollIntervalMs",
        /// What it asks, by the keys under which that is answered. Only where it waits for input.
        optional input_requests: RawObject = "inputRequests",
        /// Its result. Only where it is completed.
        raw result: RawJson = "result",
        /// Why it failed. Only where it has.
        optional error: ErrorObject = "error",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

impl Task {
    /// The answer to a request that has become this task: what belongs to its status is left out.
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
    /// Which task, and the answers to what it asks.
    pub struct UpdateTaskParams {
        /// The task's id.
        required task_id: String = "taskId",
        /// The answers by key, each the result of what was asked for.
        required input_responses: RawObject = "inputResponses",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

impl UpdateTaskParams {
    /// Answers for a task.
    pub fn new(task_id: impl Into<String>, input_responses: RawObject) -> Self {
        Self { task_id: task_id.into(), input_responses, meta: None, other: RawObject::new() }
    }
}

impl ClientCapabilities {
    /// The same capabilities, and that it takes tasks for answers (2026-07-28).
    #[must_use]
    pub fn with_tasks(mut self) -> Self {
        let mut extensions = self.0.object("extensions").unwrap_or_default();
        if extensions.get(TASKS_EXTENSION).is_none() {
            extensions.insert(TASKS_EXTENSION, RawJson::empty_object());
        }
        self.0.insert("extensions", extensions.to_json());
        self
    }

    /// Whether it takes tasks for answers (2026-07-28).
    #[must_use]
    pub fn takes_tasks(&self) -> bool {
        let extensions = self.0.object("extensions");
        extensions.is_some_and(|extensions| extensions.get(TASKS_EXTENSION).is_some_and(RawJson::is_object))
    }
}

impl ServerCapabilities {
    /// Whether it has the extension (2026-07-28).
    #[must_use]
    pub fn has_tasks_extension(&self) -> bool {
        let extensions = self.0.object("extensions");
        extensions.is_some_and(|extensions| extensions.get(TASKS_EXTENSION).is_some_and(RawJson::is_object))
    }

    /// The same capabilities in the words of the stateless revisions, where tasks are an extension.
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

/// The refusal of what needs a client that takes tasks for answers.
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

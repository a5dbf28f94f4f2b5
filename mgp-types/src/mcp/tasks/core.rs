//! The tasks of the revision 2025-11-25: the client asks for one with `task` in its request, and fetches the result with
//! `tasks/result`.

use super::TaskStatus;
use crate::{
    json::{JsonError, RawJson, RawObject},
    mcp::{Cursor, PageParams, ServerCapabilities},
    rpc::ErrorObject,
};

/// The key in `_meta` under which a message names the task that it belongs to.
pub const RELATED_TASK_KEY: &str = "io.modelcontextprotocol/related-task";

calls! {
    /// Waits for the result of a task. The result has the form that the request would have returned if it had not
    /// become a task.
    control GetTaskPayload = "tasks/result": TaskParams => RawJson;
    /// Lists the tasks of the caller.
    control ListTasks = "tasks/list": PageParams => ListTasksResult;
}

notices! {
    /// Reports that the status of a task has changed.
    TaskStatusChanged = "notifications/tasks/status": Task;
}

open_object! {
    /// A task on the wire. All other code uses [`tasks::Task`](super::Task).
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
        required ttl: Option<u64> = "ttl",
        /// The time to wait between two requests for the status, in milliseconds.
        optional poll_interval: u64 = "pollInterval",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// The id of a task.
    pub struct TaskParams {
        /// The task's id.
        required task_id: String = "taskId",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl TaskParams {
    /// Creates params for the task with an id.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self { task_id: task_id.into(), meta: None, other: RawObject::new() }
    }
}

open_object! {
    /// The options for the task that a request is to become: the member `task` of the request.
    pub struct TaskMetadata {
        /// The time for which the task is to be kept, from its creation, in milliseconds.
        optional ttl: u64 = "ttl",
    }
}

impl TaskMetadata {
    /// Creates options for a task that is kept for a number of milliseconds, or as long as the server decides.
    #[must_use]
    pub fn new(ttl: Option<u64>) -> Self {
        Self { ttl, other: RawObject::new() }
    }

    /// Reads the options from a request's params, or returns `None` if the request does not ask for a task.
    ///
    /// # Errors
    /// -32602 if `task` has another form.
    ///
    /// ```
    /// use mgp_types::{json::RawObject, mcp::tasks::core::TaskMetadata};
    /// let params = RawObject::parse(r#"{"name":"build","task":{"ttl":60000}}"#)?;
    /// assert_eq!(TaskMetadata::of(&params)?.and_then(|task| task.ttl), Some(60_000));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(params: &RawObject) -> Result<Option<Self>, ErrorObject> {
        let read = |json: &RawJson| RawObject::from_json(json).and_then(Self::from_object);
        let invalid =
            |error: JsonError| ErrorObject::invalid_params(format!("invalid params: task: {error}"));
        params.get("task").map(read).transpose().map_err(invalid)
    }
}

open_object! {
    /// The answer to a request that has become a task.
    pub struct CreateTaskResult {
        /// The task.
        required task: Task = "task",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl CreateTaskResult {
    /// Creates the answer that names a task.
    #[must_use]
    pub fn new(task: Task) -> Self {
        Self { task, meta: None, other: RawObject::new() }
    }
}

open_object! {
    /// One page of the caller's tasks.
    pub struct ListTasksResult {
        /// The tasks, the oldest first.
        items tasks: Task = "tasks",
        /// The start of the next page; absent on the last page.
        optional next_cursor: Cursor = "nextCursor",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl ServerCapabilities {
    /// Returns whether calls of the server's tools can become tasks (2025-11-25).
    ///
    /// ```
    /// use mgp_types::mcp::ServerCapabilities;
    /// let said: ServerCapabilities = serde_json::from_str(r#"{"tasks":{"list":{},"requests":{"tools":{"call":{}}}}}"#)?;
    /// assert!(said.runs_tools_as_tasks() && said.lists_tasks() && !said.cancels_tasks());
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn runs_tools_as_tasks(&self) -> bool {
        let requests = self.0.object("tasks").and_then(|tasks| tasks.object("requests"));
        let tools = requests.and_then(|requests| requests.object("tools"));
        tools.is_some_and(|tools| tools.get("call").is_some_and(RawJson::is_object))
    }

    /// Returns whether the server lists tasks (2025-11-25).
    #[must_use]
    pub fn lists_tasks(&self) -> bool {
        self.of_tasks("list")
    }

    /// Returns whether the server's tasks can be cancelled (2025-11-25).
    #[must_use]
    pub fn cancels_tasks(&self) -> bool {
        self.of_tasks("cancel")
    }

    fn of_tasks(&self, what: &str) -> bool {
        self.0.object("tasks").is_some_and(|tasks| tasks.get(what).is_some_and(RawJson::is_object))
    }
}

/// Returns the `_meta` of a message that belongs to a task.
#[must_use]
pub fn related_meta(task_id: &str) -> RawObject {
    let task = RawObject::from_iter([("taskId", RawJson::string(task_id))]);
    RawObject::from_iter([(RELATED_TASK_KEY, task.to_json())])
}

/// Marks params or a result in their `_meta` as part of a task. The rest of `_meta` is unchanged.
#[must_use]
pub fn related_to_task(mut object: RawObject, task_id: &str) -> RawObject {
    let mut meta = object.object("_meta").unwrap_or_default();
    for (key, value) in related_meta(task_id).iter() {
        meta.insert_named(key, value.clone());
    }
    object.insert("_meta", meta.to_json());
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_survives_and_one_without_end_says_null() {
        for text in [
            r#"{"taskId":"t","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"x","ttl":null}"#,
            r#"{"taskId":"t","status":"failed","statusMessage":"no","createdAt":"c","lastUpdatedAt":"u","ttl":6,"pollInterval":5,"_meta":{},"x":1e500}"#,
        ] {
            let task: Task = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&task).unwrap(), text);
        }
        let error = serde_json::from_str::<Task>(
            r#"{"taskId":"t","status":"done","createdAt":"c","lastUpdatedAt":"u","ttl":1}"#,
        );
        assert!(error.unwrap_err().to_string().contains("status"));
        let missing = serde_json::from_str::<Task>(
            r#"{"taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"u"}"#,
        );
        assert!(missing.unwrap_err().to_string().contains("missing ttl"));
    }

    #[test]
    fn only_an_object_requests_a_task() {
        let read = |text: &str| TaskMetadata::of(&RawObject::parse(text.to_owned()).unwrap());
        assert_eq!(read("{}").unwrap(), None);
        assert_eq!(read(r#"{"task":{}}"#).unwrap().unwrap().ttl, None);
        for wrong in [r#"{"task":true}"#, r#"{"task":{"ttl":"long"}}"#, r#"{"task":{"ttl":-1}}"#] {
            let error = read(wrong).unwrap_err();
            assert!(error.code == -32602 && error.message.contains("task"), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_message_of_a_task_names_it() {
        let result = RawObject::parse(r#"{"content":[],"_meta":{"x":1}}"#).unwrap();
        assert_eq!(
            related_to_task(result, "t").to_json().as_str(),
            r#"{"content":[],"_meta":{"x":1,"io.modelcontextprotocol/related-task":{"taskId":"t"}}}"#
        );
    }
}

//! The two forms that tasks have on the wire, and their conversion to the canonical [`Task`] and back.

use super::{
    Task,
    core::{self, CreateTaskResult, GetTaskPayload, ListTasks},
    extension::UpdateTask,
};
use crate::{
    json::{JsonError, RawJson, RawObject},
    mcp::{ProtocolVersion, ResultType, ServerCapabilities},
    rpc::Call,
};

/// A form that tasks have on the wire. Code that converts tasks is the same for both forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskForm {
    /// The form of the revision 2025-11-25: the client asks for each task with `task` in its request, and the server sends the task's status,
    /// questions and progress unprompted.
    Core,
    /// The extension of the stateless revisions: the server decides which requests become tasks, and the client polls the task or listens for
    /// its changes.
    Extension,
}

impl TaskForm {
    /// Returns the form of a revision. Revisions before 2025-11-25 have no tasks.
    #[must_use]
    pub const fn of(version: ProtocolVersion) -> Self {
        if version.is_stateless() { Self::Extension } else { Self::Core }
    }

    /// Returns the form in which a server runs tools as tasks.
    ///
    /// # Errors
    /// The condition that a server without such tasks does not meet.
    pub fn of_server(version: ProtocolVersion, said: &ServerCapabilities) -> Result<Self, &'static str> {
        let form = Self::of(version);
        match form {
            Self::Extension if said.has_tasks_extension() => Ok(form),
            Self::Extension => Err("io.modelcontextprotocol/tasks in the extensions of its capabilities"),
            Self::Core if version < ProtocolVersion::V2025_11_25 => {
                Err("the revision 2025-11-25 of MCP or a later one")
            }
            Self::Core if said.runs_tools_as_tasks() => Ok(form),
            Self::Core => Err("tasks.requests.tools.call in its capabilities"),
        }
    }

    /// Returns whether the client decides which of its calls become tasks, and receives their changes, questions, progress and logs
    /// unprompted. Otherwise the server decides, and the client polls its tasks.
    #[must_use]
    pub const fn is_by_client(self) -> bool {
        matches!(self, Self::Core)
    }

    /// Returns whether the form has a method about tasks.
    #[must_use]
    pub fn has(self, method: &str) -> bool {
        match self {
            Self::Core => method != UpdateTask::METHOD,
            Self::Extension => ![GetTaskPayload::METHOD, ListTasks::METHOD].contains(&method),
        }
    }

    /// Reads a task. Unknown members of a task of the revision 2025-11-25 are left out, so that a server cannot use them to bypass the checks
    /// of the other form.
    ///
    /// # Errors
    /// [`JsonError`] if a member is missing or has another type.
    pub fn decode(self, json: &RawJson) -> Result<Task, JsonError> {
        match self {
            Self::Core => json.decode::<core::Task>().map(Task::from),
            Self::Extension => json.decode(),
        }
    }

    /// Writes a task.
    ///
    /// ```
    /// use mgp_types::{json::RawJson, mcp::tasks::TaskForm};
    /// let json = RawJson::parse(r#"{"taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"u","ttlMs":5}"#)?;
    /// let task = TaskForm::Extension.decode(&json)?;
    /// let expected = r#"{"taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"u","ttl":5}"#;
    /// assert_eq!(TaskForm::Core.encode(&task).as_str(), expected);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn encode(self, task: &Task) -> RawJson {
        let json = match self {
            Self::Core => RawJson::from_value(&core::Task::from(task)),
            Self::Extension => RawJson::from_value(task),
        };
        // Strings, numbers and raw JSON always serialize.
        json.unwrap_or_else(|_| RawJson::empty_object())
    }

    /// Returns the members that describe the task which a call has become, or `None` if the call was answered with something else.
    #[must_use]
    pub fn created(self, result: &RawJson) -> Option<RawObject> {
        match self {
            Self::Core => {
                let object = result.may_hold("task").then(|| RawObject::from_json(result).ok()).flatten()?;
                object.get("task").map(|task| RawObject::from_json(task).unwrap_or_default())
            }
            Self::Extension if ResultType::of(result) != ResultType::Task => None,
            Self::Extension => RawObject::from_json(result).ok(),
        }
    }

    /// Returns the answer to a call that has become a task, without the members that belong to the task's status.
    #[must_use]
    pub fn encode_created(self, task: &Task) -> RawJson {
        if self == Self::Core {
            let created = RawJson::from_value(&CreateTaskResult::new(task.into()));
            return created.unwrap_or_else(|_| RawJson::empty_object());
        }
        let mut result = RawObject::new();
        result.insert("resultType", RawJson::string(ResultType::Task.as_str()));
        for (key, value) in
            RawObject::from_json(&self.encode(&task.without_outcome())).unwrap_or_default().iter()
        {
            result.insert_named(key, value.clone());
        }
        result.to_json()
    }

    /// Returns the answer to a request that has cancelled a task.
    #[must_use]
    pub fn encode_cancelled(self, task: &Task) -> RawJson {
        match self {
            Self::Core => self.encode(task),
            Self::Extension => RawJson::empty_object(),
        }
    }
}

impl From<core::Task> for Task {
    fn from(task: core::Task) -> Self {
        Self {
            task_id: task.task_id,
            status: task.status,
            status_message: task.status_message,
            created_at: task.created_at,
            last_updated_at: task.last_updated_at,
            ttl_ms: task.ttl,
            poll_interval_ms: task.poll_interval,
            ..Self::default()
        }
    }
}

impl From<&Task> for core::Task {
    fn from(task: &Task) -> Self {
        let task = task.outline();
        Self {
            task_id: task.task_id,
            status: task.status,
            status_message: task.status_message,
            created_at: task.created_at,
            last_updated_at: task.last_updated_at,
            ttl: task.ttl_ms,
            poll_interval: task.poll_interval_ms,
            meta: None,
            other: RawObject::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        TaskForm::{Core, Extension},
        *,
    };

    fn json(text: &'static str) -> RawJson {
        RawJson::parse(text).unwrap()
    }

    #[test]
    fn a_task_keeps_members_known_to_both_forms() {
        let text = r#"{"taskId":"k","status":"completed","createdAt":"c","lastUpdatedAt":"u","ttlMs":5,"pollIntervalMs":6,"result":{"isError":true},"x":1,"_meta":{"y":1}}"#;
        let core = Core.encode(&Extension.decode(&json(text)).unwrap());
        let expected = r#"{"taskId":"k","status":"failed","createdAt":"c","lastUpdatedAt":"u","ttl":5,"pollInterval":6}"#;
        assert_eq!(core.as_str(), expected);
        let back = r#"{"taskId":"k","status":"failed","createdAt":"c","lastUpdatedAt":"u","ttlMs":5,"pollIntervalMs":6}"#;
        assert_eq!(Extension.encode(&Core.decode(&core).unwrap()).as_str(), back);
    }

    #[test]
    fn extension_members_from_a_core_server_are_left_out() {
        let text = r#"{"taskId":"k","status":"working","createdAt":"c","lastUpdatedAt":"u","ttl":null,"inputRequests":{"k":{}},"result":{},"_meta":{"z":1}}"#;
        let said = r#"{"taskId":"k","status":"working","createdAt":"c","lastUpdatedAt":"u","ttlMs":null}"#;
        assert_eq!(Extension.encode(&Core.decode(&json(text)).unwrap()).as_str(), said);
    }

    #[test]
    fn a_failed_task_names_its_reason() {
        let text = r#"{"taskId":"s","status":"failed","createdAt":"c","lastUpdatedAt":"u","ttlMs":null,"error":{"code":1,"message":"no"}}"#;
        assert_eq!(Extension.decode(&json(text)).unwrap().outline().status_message.as_deref(), Some("no"));
    }

    #[test]
    fn the_answer_that_names_a_task_holds_none_of_its_status() {
        let text = r#"{"taskId":"t","status":"completed","createdAt":"c","lastUpdatedAt":"u","ttlMs":5,"result":{},"inputRequests":{},"error":{"code":1,"message":"m"}}"#;
        let task = Extension.decode(&json(text)).unwrap();
        assert_eq!(
            Extension.encode_created(&task).as_str(),
            r#"{"resultType":"task","taskId":"t","status":"completed","createdAt":"c","lastUpdatedAt":"u","ttlMs":5}"#
        );
        for form in [Core, Extension] {
            let named = form.created(&form.encode_created(&task)).unwrap();
            assert_eq!(form.decode(&named.to_json()).unwrap().task_id, "t");
            assert_eq!(form.created(&json(r#"{"content":[]}"#)), None);
        }
    }

    #[test]
    fn a_form_has_only_the_methods_of_its_revision() {
        let has = |form: TaskForm| {
            ["tasks/get", "tasks/result", "tasks/list", "tasks/update"].map(|it| form.has(it))
        };
        assert_eq!(has(Core), [true, true, true, false]);
        assert_eq!(has(Extension), [true, false, false, true]);
    }
}

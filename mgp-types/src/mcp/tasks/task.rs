//! A task in its canonical form, and the methods that both forms of the wire have.

use super::{TaskStatus, core::TaskParams};
use crate::{
    json::{JsonError, RawJson, RawObject},
    mcp::{CallToolResult, InputRequest},
    rpc::ErrorObject,
};

calls! {
    /// Asks for the status of a task. [`TaskForm::decode`](super::TaskForm::decode) reads the answer.
    control GetTask = "tasks/get": TaskParams => RawJson;
    /// Cancels a task. The answer is a task or empty, as [`TaskForm::encode_cancelled`](super::TaskForm::encode_cancelled)
    /// writes it.
    control CancelTask = "tasks/cancel": TaskParams => RawJson;
}

open_object! {
    /// A task in its canonical form, with the members that belong to its status. [`TaskForm`](super::TaskForm) converts it to the
    /// forms of the wire and back.
    #[derive(Default)]
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
    /// Returns the task without the members that belong to its status.
    #[must_use]
    pub fn without_outcome(&self) -> Self {
        Self { input_requests: None, result: None, error: None, ..self.clone() }
    }

    /// Returns the questions that the task asks, with the keys under which they are answered, while it waits for input.
    ///
    /// # Errors
    /// [`JsonError`] if a question cannot be read.
    pub fn questions(&self) -> Result<Vec<(String, InputRequest)>, JsonError> {
        let waits = self.status == TaskStatus::InputRequired;
        let asked = self.input_requests.iter().filter(|_| waits).flat_map(RawObject::iter);
        asked.map(|(key, question)| Ok((key.to_owned(), InputRequest::read(question)?))).collect()
    }

    /// Returns the task without the members that belong to its status, for a peer that fetches the result separately. There, the failure of a
    /// tool is a failure of its task.
    #[must_use]
    pub fn outline(&self) -> Self {
        let failed = self.status == TaskStatus::Completed
            && self.result.as_ref().is_some_and(CallToolResult::says_error);
        let why = || self.error.as_ref().map(|error| error.message.clone());
        Self {
            status: if failed { TaskStatus::Failed } else { self.status },
            status_message: self.status_message.clone().or_else(why),
            meta: None,
            other: RawObject::new(),
            ..self.without_outcome()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_survives_unchanged() {
        let text = r#"{"taskId":"t","status":"input_required","createdAt":"c","lastUpdatedAt":"u","ttlMs":null,"inputRequests":{"k":{"n":1e500}},"x":null}"#;
        let task: Task = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&task).unwrap(), text);
    }
}

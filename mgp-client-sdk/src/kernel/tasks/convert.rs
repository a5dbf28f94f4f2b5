//! Converts a task from one form to the other. Members that a form does not know are left out, so that no server can use such
//! members to get past the kernel's checks of the other form.

use mgp_types::{
    json::{RawJson, RawObject},
    mcp::tasks::{TaskStatus, core, extension},
};

/// Converts a task to the form of the extension, without the members that belong to the status.
pub(super) fn to_extension(task: &core::Task, id: &str) -> extension::Task {
    extension::Task {
        task_id: id.to_owned(),
        status: task.status,
        status_message: task.status_message.clone(),
        created_at: task.created_at.clone(),
        last_updated_at: task.last_updated_at.clone(),
        ttl_ms: task.ttl,
        poll_interval_ms: task.poll_interval,
        input_requests: None,
        result: None,
        error: None,
        meta: None,
        other: RawObject::new(),
    }
}

/// Converts a task to the form of revision 2025-11-25, in which the failure of a tool is a failure of its task.
pub(super) fn to_core(task: &extension::Task, id: &str) -> core::Task {
    let failed = task.status == TaskStatus::Completed && task.result.as_ref().is_some_and(says_error);
    core::Task {
        task_id: id.to_owned(),
        status: if failed { TaskStatus::Failed } else { task.status },
        status_message: message(task),
        created_at: task.created_at.clone(),
        last_updated_at: task.last_updated_at.clone(),
        ttl: task.ttl_ms,
        poll_interval: task.poll_interval_ms,
        meta: None,
        other: RawObject::new(),
    }
}

/// Returns the status message of a task, or else the message of its error.
fn message(task: &extension::Task) -> Option<String> {
    let why = || task.error.as_ref().map(|error| error.message.clone());
    task.status_message.clone().or_else(why)
}

/// Returns whether a tool's result says that the tool failed.
pub(super) fn says_error(result: &RawJson) -> bool {
    result.may_hold("isError")
        && RawObject::from_json(result).is_ok_and(|result| matches!(result.decode("isError"), Ok(Some(true))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTENSION: &str = r#"{"taskId":"s","status":"completed","createdAt":"c","lastUpdatedAt":"u","ttlMs":5,"pollIntervalMs":6,"result":{"isError":true},"x":1,"_meta":{"y":1}}"#;

    #[test]
    fn a_task_keeps_what_both_forms_know_and_gets_its_other_id() {
        let task: extension::Task = serde_json::from_str(EXTENSION).unwrap();
        let core = to_core(&task, "k");
        let expected = r#"{"taskId":"k","status":"failed","createdAt":"c","lastUpdatedAt":"u","ttl":5,"pollInterval":6}"#;
        assert_eq!(serde_json::to_string(&core).unwrap(), expected);
        let back = r#"{"taskId":"s","status":"failed","createdAt":"c","lastUpdatedAt":"u","ttlMs":5,"pollIntervalMs":6}"#;
        assert_eq!(serde_json::to_string(&to_extension(&core, "s")).unwrap(), back);
    }

    #[test]
    fn what_a_core_server_says_in_words_of_the_extension_is_left_out() {
        let text = r#"{"taskId":"s","status":"working","createdAt":"c","lastUpdatedAt":"u","ttl":null,"inputRequests":{"k":{}},"result":{},"_meta":{"z":1}}"#;
        let task: core::Task = serde_json::from_str(text).unwrap();
        let said = r#"{"taskId":"k","status":"working","createdAt":"c","lastUpdatedAt":"u","ttlMs":null}"#;
        assert_eq!(serde_json::to_string(&to_extension(&task, "k")).unwrap(), said);
    }

    #[test]
    fn a_task_that_failed_says_why() {
        let text = r#"{"taskId":"s","status":"failed","createdAt":"c","lastUpdatedAt":"u","ttlMs":null,"error":{"code":1,"message":"no"}}"#;
        let task: extension::Task = serde_json::from_str(text).unwrap();
        assert_eq!(to_core(&task, "k").status_message.as_deref(), Some("no"));
    }
}

//! The state of a task as a server shows it, in both forms.

use mgp_types::mcp::tasks::{TaskStatus, core, extension};
use std::time::Duration;

/// The state of a task as a server shows it, in both forms.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) id: String,
    pub(super) status: TaskStatus,
    pub(super) message: Option<String>,
    pub(super) ttl: Option<Duration>,
    pub(super) poll_interval: Option<Duration>,
}

impl From<&core::Task> for Shown {
    fn from(task: &core::Task) -> Self {
        Self {
            id: task.task_id.clone(),
            status: task.status,
            message: task.status_message.clone(),
            ttl: task.ttl.map(Duration::from_millis),
            poll_interval: task.poll_interval.map(Duration::from_millis),
        }
    }
}

impl From<&extension::Task> for Shown {
    fn from(task: &extension::Task) -> Self {
        Self {
            id: task.task_id.clone(),
            status: task.status,
            message: task.status_message.clone(),
            ttl: task.ttl_ms.map(Duration::from_millis),
            poll_interval: task.poll_interval_ms.map(Duration::from_millis),
        }
    }
}

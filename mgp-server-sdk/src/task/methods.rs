//! The methods of both forms of tasks.

use super::{StoredTask, TaskForm, TaskOwner, TaskState, Tasks, result, tasks::FoundTask, wire};
use crate::era;
use jiff::Timestamp;
use mgp_transport::seam::{Incoming, Reply, Role, Routes};
use mgp_types::{
    json::RawObject,
    mcp::{
        Cursor, PageParams, SubscriptionFilter,
        tasks::{
            CancelTask, GetTask,
            core::{GetTaskPayload, ListTasks, ListTasksResult, TaskParams},
            extension::{UpdateTask, UpdateTaskParams, tasks_not_declared},
        },
    },
    rpc::{Call, Empty, ErrorObject},
};

/// The number of tasks on one page of a list.
const PAGE: usize = 100;

impl Tasks {
    /// Returns the methods of tasks.
    pub(crate) fn routes() -> Routes<Self> {
        let answer = async |tasks: Self, message: Incoming| Ok(tasks.answer(&message).await?);
        Routes::new()
            .route(GetTask, Role::Anyone, answer)
            .route(GetTaskPayload, Role::Anyone, answer)
            .route(ListTasks, Role::Anyone, answer)
            .route(CancelTask, Role::Anyone, answer)
            .route(UpdateTask, Role::Anyone, answer)
    }

    async fn answer(&self, incoming: &Incoming) -> Result<Reply, ErrorObject> {
        let method = &*incoming.method;
        // Checked before anything else in the request.
        let form = era::tasks_of(incoming.session()).form_for(method)?;
        match method {
            GetTask::METHOD => {
                let task = self.named(incoming).await?.task();
                Ok(Reply::ok(form.encode(&wire::task(&task))))
            }
            CancelTask::METHOD => match self.cancel(self.named(incoming).await?).await? {
                Some(task) => Ok(Reply::ok(form.encode_cancelled(&wire::task(&task)))),
                None if form.is_by_client() => {
                    Err(ErrorObject::invalid_params("the task has ended: it cannot be cancelled"))
                }
                None => Ok(Reply::from_value(&Empty::default())),
            },
            UpdateTask::METHOD => self.update(incoming).await,
            ListTasks::METHOD => self.list(incoming).await,
            GetTaskPayload::METHOD => {
                let TaskParams { task_id, .. } = incoming.params.decode()?;
                result::wait(self, incoming, &task_id).await
            }
            _ => Err(ErrorObject::method_not_found(method)),
        }
    }

    /// Returns the task that a request names.
    async fn named(&self, incoming: &Incoming) -> Result<FoundTask, ErrorObject> {
        let TaskParams { task_id, .. } = incoming.params.decode()?;
        self.find(&task_id, &TaskOwner::of(incoming)).await
    }

    /// Cancels a task. Returns `None` if the task has ended.
    async fn cancel(&self, found: FoundTask) -> Result<Option<StoredTask>, ErrorObject> {
        const WHY: &str = "cancelled by its client";
        match found {
            FoundTask::Here(job) => Ok(job.cancel(WHY).then(|| job.task())),
            FoundTask::Kept(task) if task.state.has_ended() => Ok(None),
            // The task runs in another process. The store ignores that process's later updates.
            FoundTask::Kept(mut task) => {
                task.state = TaskState::Cancelled;
                task.message = Some(WHY.to_owned());
                task.updated = Timestamp::now();
                self.shared.store.update((*task).clone()).await?;
                Ok(Some(*task))
            }
        }
    }

    /// Answers `tasks/update`.
    async fn update(&self, incoming: &Incoming) -> Result<Reply, ErrorObject> {
        let UpdateTaskParams { task_id, input_responses, .. } = incoming.params.decode()?;
        match self.find(&task_id, &TaskOwner::of(incoming)).await? {
            FoundTask::Here(job) => job.answer(&input_responses)?,
            FoundTask::Kept(task) if task.state.has_ended() => {}
            FoundTask::Kept(_) => {
                return Err(ErrorObject::internal("internal error: the task runs in another instance"));
            }
        }
        Ok(Reply::from_value(&Empty::default()))
    }

    /// Answers `tasks/list`.
    async fn list(&self, incoming: &Incoming) -> Result<Reply, ErrorObject> {
        let PageParams { cursor, .. } = incoming.params.decode()?;
        let after = cursor.as_ref().map(read_cursor).transpose()?;
        let asker = TaskOwner::of(incoming);
        let mut kept = self.shared.store.list(&asker, after, PAGE + 1).await?;
        let next_cursor = (kept.len() > PAGE).then(|| cursor_after(&kept[PAGE - 1]));
        kept.truncate(PAGE);
        let now = Timestamp::now();
        kept.retain(|task| !task.has_expired(now));
        let tasks = kept.into_iter().map(|task| {
            // The job in this process has the newest state of the task.
            let here = self.shared.running.lock().get(&*task.id).map(|job| job.task());
            (&wire::task(&here.unwrap_or(task))).into()
        });
        let page =
            ListTasksResult { tasks: tasks.collect(), next_cursor, meta: None, other: RawObject::new() };
        Ok(Reply::from_value(&page))
    }

    /// Restricts the tasks that a client wants to listen for to the client's own.
    ///
    /// # Errors
    /// Returns -32021 if the client does not support tasks as answers.
    pub(crate) async fn hears(
        &self,
        incoming: &Incoming,
        filter: &mut SubscriptionFilter,
    ) -> Result<(), ErrorObject> {
        if filter.task_ids.is_empty() {
            return Ok(());
        }
        if era::tasks_of(incoming.session()).form().is_none_or(TaskForm::is_by_client) {
            return Err(tasks_not_declared());
        }
        let asker = TaskOwner::of(incoming);
        let mut own = Vec::new();
        for id in std::mem::take(&mut filter.task_ids) {
            if self.find(&id, &asker).await.is_ok() {
                own.push(id);
            }
        }
        filter.task_ids = own;
        Ok(())
    }
}

/// Returns the cursor of the page that starts after a task.
fn cursor_after(task: &StoredTask) -> Cursor {
    Cursor(format!("tasks.{:x}.{}", task.created.as_nanosecond(), task.id))
}

fn read_cursor(cursor: &Cursor) -> Result<(Timestamp, &str), ErrorObject> {
    let read = || {
        let (created, id) = cursor.0.strip_prefix("tasks.")?.split_once('.')?;
        let created = i128::from_str_radix(created, 16).ok()?;
        Some((Timestamp::from_nanosecond(created).ok()?, id))
    };
    read().ok_or_else(|| {
        ErrorObject::invalid_params("invalid cursor: expected the nextCursor of an earlier page of this list")
    })
}

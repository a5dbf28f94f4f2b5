//! The functions that start tasks and find them again.

use super::{
    Task, TaskCall, TaskError, TaskStart,
    request::{look, read},
};
use crate::{
    client::{Client, caller::decode, tool_call::tool_params},
    session::AnswerKinds,
};
use mgp_transport::seam::CallError;
use mgp_types::{
    json::RawJson,
    mcp::{
        CallTool,
        tasks::{
            TaskForm,
            core::{ListTasks, TaskMetadata},
        },
    },
    rpc::Call,
};
use std::time::Duration;

impl Client {
    /// Calls a tool as a task, whose result can be fetched later. A server that answers at once is not an error: see [`TaskStart`].
    /// Questions of the server before the task exists are answered by the client's handlers.
    ///
    /// ```
    /// use mgp_client_sdk::client::{Client, TaskCall, TaskStart};
    /// use mgp_server_sdk::{Server, Tool, task::TaskSupport};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let build = Tool::new("build", "Builds for a while", async || "built").task(TaskSupport::Optional);
    /// let (input, output) = Server::new("builder", "1.0.0").tool(build).build()?.in_process();
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// match client.call_tool_as_task(TaskCall::new("build", ())?).await? {
    ///     TaskStart::Task(task) => {
    ///         println!("{} is {}", task.id(), task.status());
    ///         assert!(task.result().await?.content[0].as_text() == Some("built"));
    ///     }
    ///     TaskStart::Answered(result) => println!("{} blocks at once", result.content.len()),
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`TaskError::Unsupported`], before anything is sent, if the server does not run tools as tasks; [`TaskError::Call`], with
    /// code -32601 if the tool does not run as a task in the revision 2025-11-25.
    pub async fn call_tool_as_task(&self, call: TaskCall) -> Result<TaskStart, TaskError> {
        let form = self.task_form()?;
        let TaskCall { name, arguments, ttl } = call;
        let mut params = tool_params(&name, arguments);
        self.caller.session.declare_tasks(&mut params);
        if form.is_by_client() {
            let asked = RawJson::from_value(&TaskMetadata::new(ttl.map(millis)));
            params.insert("task", asked.map_err(CallError::Params)?);
        }
        let result = self.caller.call_tool_for(AnswerKinds::ResultOrTask, params, None).await?;
        // A server may answer in any form, whatever was requested.
        let Some(named) = form.created(&result) else {
            return Ok(TaskStart::Answered(decode::<CallTool>(&result)?));
        };
        let task = read::<CallTool>(form, &named.to_json())?;
        Ok(TaskStart::Task(Task::new(self.caller.clone(), form, &task)))
    }

    /// Returns a task by its id, after querying the server. The task may have been started over another connection.
    ///
    /// # Errors
    /// [`TaskError::Unsupported`], and [`TaskError::Call`] with code -32602 if the server does not know the task.
    pub async fn task(&self, id: &str) -> Result<Task, TaskError> {
        let form = self.task_form()?;
        let seen = look(&self.caller, form, id).await?;
        if seen.task_id != id {
            let problem = format!("expected the task {id:?}, found {:?}", seen.task_id);
            return Err(CallError::Unreadable(problem).into());
        }
        Ok(Task::new(self.caller.clone(), form, &seen))
    }

    /// Lists the client's tasks, the oldest first. Only the revision 2025-11-25 has such a list.
    ///
    /// # Errors
    /// [`TaskError::Unsupported`], before anything is sent, if the server has no list of tasks; [`TaskError::Call`].
    pub async fn tasks(&self) -> Result<Vec<Task>, TaskError> {
        let form = self.task_form()?;
        let unsupported = |expected| Err(TaskError::Unsupported { what: "list tasks", expected });
        if !form.is_by_client() {
            return unsupported("the revision 2025-11-25 of MCP, as no other has a list of tasks");
        }
        if !self.greeting().capabilities.lists_tasks() {
            return unsupported("tasks.list in its capabilities");
        }
        let tasks = self.caller.list_raw(ListTasks::METHOD, "tasks").await?;
        let tasks = tasks.iter().map(|task| {
            let task = read::<ListTasks>(form, task)?;
            Ok(Task::new(self.caller.clone(), form, &task))
        });
        tasks.collect()
    }

    /// Returns the form in which the server runs tools as tasks.
    fn task_form(&self) -> Result<TaskForm, TaskError> {
        let greeting = self.greeting();
        TaskForm::of_server(greeting.version, &greeting.capabilities)
            .map_err(|expected| TaskError::Unsupported { what: "run tools as tasks", expected })
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

//! Where tasks begin, and where they are found again.

use super::{Task, TaskCall, TaskError, TaskStart, core, extension, form::Form, task::look};
use crate::client::Client;
use mgp_transport::seam::CallError;

impl Client {
    /// Calls a tool so that it becomes a task, whose result can be fetched later. A server that answers at once is no error: see
    /// [`TaskStart`]. What it asks before there is a task is answered by the client's handlers.
    ///
    /// ```
    /// use mgp_client_sdk::{RawJson, client::{Client, TaskCall, TaskStart}};
    /// use mgp_server_sdk::{Server, Tool, task::TaskSupport};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let build = Tool::new("build", "Builds for a while", async || "built").task(TaskSupport::Optional);
    /// let (input, output) = Server::new("builder", "1.0.0").tool(build).build()?.in_process();
    /// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
    /// match client.call_tool_as_task(TaskCall::new("build", RawJson::empty_object())).await? {
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
    /// [`TaskError::Unsupported`], before anything is sent, where the server runs no tools as tasks; [`TaskError::Call`], with
    /// -32601 where the tool does not run as one in the revision 2025-11-25.
    pub async fn call_tool_as_task(&self, call: TaskCall) -> Result<TaskStart, TaskError> {
        Ok(match Form::of(&self.greeting)? {
            form @ Form::Core { .. } => core::begin(&self.caller, form, call).await?,
            Form::Extension => extension::begin(&self.caller, call).await?,
        })
    }

    /// A task by its id, which the server is asked for: one that was begun over another connection, perhaps.
    ///
    /// # Errors
    /// [`TaskError::Unsupported`], and [`TaskError::Call`] with -32602 where the server does not know the task.
    pub async fn task(&self, id: &str) -> Result<Task, TaskError> {
        let form = Form::of(&self.greeting)?;
        let shown = look(&self.caller, form, id).await?;
        if shown.id != id {
            let problem = format!("expected the task {id:?}, found {:?}", shown.id);
            return Err(CallError::Unreadable(problem).into());
        }
        Ok(Task::new(self.caller.clone(), form, shown))
    }

    /// Lists the client's tasks, the oldest first. Only the revision 2025-11-25 has such a list.
    ///
    /// # Errors
    /// [`TaskError::Unsupported`], before anything is sent, where the server has no list of tasks; [`TaskError::Call`].
    pub async fn tasks(&self) -> Result<Vec<Task>, TaskError> {
        let form = Form::lists(&self.greeting)?;
        Ok(core::list(&self.caller, form).await?)
    }
}

//! The functions that begin tasks and find them again.

use super::{Task, TaskCall, TaskError, TaskStart, core, extension, form::Form, task::look};
use crate::client::Client;
use mgp_transport::seam::CallError;

impl Client {
    /// Calls a tool as a task, whose result can be fetched later. A server that answers at once is not an error: see [`TaskStart`].
    /// Questions of the server before the task exists are answered by the client's handlers.
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
    /// [`TaskError::Unsupported`], before anything is sent, if the server does not run tools as tasks; [`TaskError::Call`], with
    /// code -32601 if the tool does not run as a task in the revision 2025-11-25.
    pub async fn call_tool_as_task(&self, call: TaskCall) -> Result<TaskStart, TaskError> {
        Ok(match Form::of(self.greeting())? {
            form @ Form::Core { .. } => core::begin(&self.caller, form, call).await?,
            Form::Extension => extension::begin(&self.caller, call).await?,
        })
    }

    /// Returns a task by its id, after asking the server for the task. The task may have been begun over another connection.
    ///
    /// # Errors
    /// [`TaskError::Unsupported`], and [`TaskError::Call`] with code -32602 if the server does not know the task.
    pub async fn task(&self, id: &str) -> Result<Task, TaskError> {
        let form = Form::of(self.greeting())?;
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
    /// [`TaskError::Unsupported`], before anything is sent, if the server has no list of tasks; [`TaskError::Call`].
    pub async fn tasks(&self) -> Result<Vec<Task>, TaskError> {
        let form = Form::lists(self.greeting())?;
        Ok(core::list(&self.caller, form).await?)
    }
}

//! A tool whose call may run as a task: the host gets a handle at once, and polls the task.

use mgp_server_sdk::{
    Error, Server, Tool,
    task::{TaskHandle, TaskSupport},
};
use std::time::Duration;

async fn build(task: Option<TaskHandle>) -> &'static str {
    for step in ["compiling", "linking"] {
        if let Some(task) = &task {
            task.say(step);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    "built"
}

pub(crate) fn server() -> Server {
    Server::new("builder", "1.0.0")
        .tool(Tool::new("build", "Builds the project", build).task(TaskSupport::Optional))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    server().serve_stdio().await
}

//! A tool that runs as a task, whose result is fetched later.
//!
//! Run it with `cargo run -p mgp-client-sdk --example client_task`.
use mgp_client_sdk::client::{Client, TaskCall, TaskStart};
use mgp_server_sdk::{Server, Tool, task::TaskSupport};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let build = Tool::new("build", "Builds for a while", async || "built").task(TaskSupport::Optional);
    let (input, output) = Server::new("builder", "1.0.0").tool(build).build()?.in_process();
    let client = Client::builder("example", "1.0.0").connect(input, output).await?;

    let result = match client.call_tool_as_task(TaskCall::new("build", ())?).await? {
        TaskStart::Task(task) => {
            println!("the task {} is {}", task.id(), task.status());
            task.result().await?
        }
        // A server may also answer at once.
        TaskStart::Answered(result) => result,
    };
    println!("{}", result.content[0].as_text().unwrap_or_default());
    assert!(result.content[0].as_text() == Some("built"));
    Ok(())
}

//! The progress of a tool, as it is reported.
//!
//! Run it with `cargo run -p mgp-client-sdk --example client_progress`.
use mgp_client_sdk::client::{Client, ToolEvent};
use mgp_server_sdk::{Progress, Server, Tool};

async fn download(mut progress: Progress) -> &'static str {
    for percent in [25.0, 50.0, 100.0] {
        // A caller that did not request progress receives none, which is not an error.
        let _ = progress.report(percent, Some(100.0), None).await;
    }
    "downloaded"
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new("loader", "1.0.0").tool(Tool::new("download", "Downloads", download)).build()?;
    let (input, output) = server.in_process();
    let client = Client::builder("example", "1.0.0").connect(input, output).await?;

    let (mut call, mut last) = (client.stream("download", ()), None);
    while let Some(event) = call.next().await {
        if let ToolEvent::Progress(step) = event {
            println!("{} %", step.progress);
            last = step.progress.as_f64();
        }
    }
    let answer: String = call.result().await?;
    println!("{answer}");
    assert!(last == Some(100.0) && answer == "downloaded");
    Ok(())
}

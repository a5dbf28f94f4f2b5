//! A kernel inside a program: a host's call is refused, allowed by a rule, and recorded.
//!
//! Run it with `cargo run -p mgp-kernel --example kernel`.
use mgp_client_sdk::client::Client;
use mgp_kernel::{AccessEntry, Kernel, MemorySink, Principal, ServerSpec};
use mgp_server_sdk::{Server, Tool};
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clock = Server::new("clock", "1.0.0").tool(Tool::new("time", "Says the time", || "noon")).build()?;
    let events = MemorySink::new(100);
    // `server` adds a server with another endpoint: a child process, or a URL.
    let kernel = Kernel::builder()
        .server(ServerSpec::new("clock", clock))
        .config(|config| config.kernel.agent = "ann".into())
        .audit_sink(events.clone())
        .start()
        .await?;
    for server in kernel.ready(Duration::from_secs(10)).await {
        println!("{server} has not started");
    }

    // A host in this process. `HostFace` serves a host over any byte stream, and is passed to the HTTP server, too.
    let (input, output) = kernel.face().in_process(Principal::agent("ann"));
    let host = Client::builder("host", "1.0.0").connect(input, output).await?;

    let Err(refusal) = host.call_tool("time", ()).await else {
        return Err("nobody granted this call".into());
    };
    println!("refused: {refusal}");
    kernel.access().put(AccessEntry::allow("ann").server("clock").granted_by("the operator")).await?;
    let answer = host.call_tool("time", ()).await?;
    println!("allowed: {}", answer.content[0].as_text().unwrap_or_default());
    for event in events.events() {
        println!("recorded: {} {}", event.event_type, event.result);
    }
    kernel.shutdown().await;
    Ok(())
}

//! A custom gate: the kernel asks it about each tool call, and records its refusals.
//!
//! Run it with `cargo run -p mgp-kernel --example gate`.
use mgp_client_sdk::client::Client;
use mgp_kernel::{
    AccessEntry, Decision, ErrorCode, Kernel, MemorySink, Principal, Refusal, RefusalKind, ServerSpec,
    ToolCall,
};
use mgp_server_sdk::{Server, Tool};
use std::time::Duration;

/// Refuses calls of tools whose name begins with `forget_`.
fn nothing_is_forgotten(call: &ToolCall) -> Decision {
    if call.target.tool.tool_name.starts_with("forget_") {
        let error = ErrorCode::AccessDenied.error("nothing is forgotten here");
        return Refusal::new(RefusalKind::Policy, error).into();
    }
    Decision::Allow
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let notes = Server::new("notes", "1.0.0")
        .tool(Tool::new("read_notes", "Reads the notes", || "buy milk"))
        .tool(Tool::new("forget_notes", "Forgets the notes", || "forgotten"))
        .build()?;
    let events = MemorySink::new(100);
    let kernel = Kernel::builder()
        .gate(nothing_is_forgotten)
        .server(ServerSpec::new("notes", notes))
        .grant(AccessEntry::allow("ann").server("notes"))
        .config(|config| config.kernel.agent = "ann".into())
        .audit_sink(events.clone())
        .start()
        .await?;
    kernel.ready(Duration::from_secs(10)).await;

    let (input, output) = kernel.face().in_process(Principal::agent("ann"));
    let host = Client::builder("host", "1.0.0").connect(input, output).await?;
    let answer = host.call_tool("read_notes", ()).await?;
    println!("allowed: {}", answer.content[0].as_text().unwrap_or_default());
    let Err(refusal) = host.call_tool("forget_notes", ()).await else {
        return Err("the gate let it pass".into());
    };
    println!("refused: {refusal}");
    for event in events.events() {
        println!("recorded: {} {}", event.event_type, event.result);
    }
    kernel.shutdown().await;
    Ok(())
}

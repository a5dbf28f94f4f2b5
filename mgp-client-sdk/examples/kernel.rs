//! A kernel inside a program: a host's call is refused, allowed by a rule, and recorded.
//!
//! Run it with `cargo run -p mgp-client-sdk --example kernel`.
use mgp_client_sdk::{
    AccessDecision, AccessEntry, ConnectionConfig, EntryType, MemorySink, Nullable, Principal, RawJson,
    client::Client,
    kernel::{Endpoint, InProcess, Kernel, ServerSpec},
    memory,
};
use mgp_server_sdk::{Server, Tool};
use std::{sync::Arc, time::Duration};

/// Returns a rule that lets an agent use every tool of a server.
fn may_use(agent: &str, server: &str) -> AccessEntry {
    AccessEntry {
        entry_type: EntryType::ServerGrant,
        agent_id: agent.to_owned(),
        server_id: server.to_owned(),
        tool_name: Nullable::Absent,
        permission: Some(AccessDecision::Allow),
        granted_by: Nullable::Value("the operator".to_owned()),
        granted_at: Nullable::Absent,
        expires_at: Nullable::Absent,
        justification: Nullable::Absent,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stack = Server::new("clock", "1.0.0")
        .tool(Tool::new("time", "Says the time", || async { "noon" }))
        .build()?;
    // A child process or a server over HTTP is another `Endpoint`.
    let clock = ServerSpec::new("clock", Endpoint::InProcess(InProcess::new(move || stack.in_process())));
    let events = MemorySink::new(100);
    let kernel =
        Kernel::builder().server(clock).agent("ann").audit_sink(Arc::new(events.clone())).start().await?;
    for server in kernel.ready(Duration::from_secs(10)).await {
        println!("{server} has not started");
    }

    // A host in this process; `HostFace` serves one over any byte stream, and is what the HTTP server takes too.
    let (here, there) = memory::pair();
    let connection =
        kernel.face().serve(Principal::agent("ann"), ConnectionConfig::default(), there.0, there.1);
    tokio::spawn(connection.closed());
    let host = Client::builder("host", "1.0.0").connect(here.0, here.1).await?;

    let Err(refusal) = host.call_tool("time", RawJson::empty_object()).await else {
        return Err("nobody granted this call".into());
    };
    println!("refused: {refusal}");
    kernel.access().put(may_use("ann", "clock")).await?;
    let answer = host.call_tool("time", RawJson::empty_object()).await?;
    println!("allowed: {}", answer.content[0].as_text().unwrap_or_default());
    for event in events.events() {
        println!("recorded: {} {}", event.event_type, event.result);
    }
    kernel.shutdown().await;
    Ok(())
}

//! The proposals' reference server behind our kernel, used by a plain host and by our client.

use crate::groups::request::{call, request};
use crate::{
    groups::ask::connect,
    install::Package,
    peers::{Answer, Call, HostClient, HostUser, Instance, Kernel, Reach, Upstream},
    rows::{Context, Row, row},
    tap::Command,
    workspace,
};
use serde_json::{Value, json};

/// The tools that the server lists.
const TOOLS: [&str; 4] = ["search_tickets", "create_ticket", "delete_ticket", "export_tickets"];

/// The name of the record of the server's messages.
pub(super) const RECORD: &str = "tickets";

/// Returns the path of the server's script.
pub(super) fn script() -> std::path::PathBuf {
    workspace::proposals("python/server.py")
}

pub(super) fn rows() -> Vec<Row> {
    let plain = row("proposals/server-plain-host", &[Package::PythonSdk1], plain);
    let ours = row("proposals/server-ours", &[], ours);
    [plain, ours].map(|row| row.programs(&["python3"]).beside(script())).into()
}

/// Returns the command that starts the server.
pub(super) fn command() -> Command {
    let pump = workspace::scripts().join("proposals_server.py");
    Command::new("python3").args([pump, script()].map(|path| path.to_string_lossy().into_owned()))
}

/// Returns a kernel in front of the server, with a record of its messages, and with more scopes than the server grants by default.
pub(super) fn kernel(context: &Context, scopes: &[&str]) -> Result<Kernel, String> {
    let server = command().args(scopes.iter().copied());
    let server = server.tapped(&context.programs, &context.folder.record(RECORD));
    Kernel::configure(context, "full", &[], vec![Upstream::new("tickets", Instance::Child(server))])
}

/// A host of the official SDK, which refuses a list with a tool without schema and a result without content.
async fn plain(context: Context) -> Result<(), String> {
    let kernel = kernel(&context, &[])?;
    let calls = [
        Call::new("search_tickets", r#"{"query":"login"}"#),
        Call::new("create_ticket", r#"{"title":"Count swans"}"#),
        Call::new("search_tickets", r#"{"query":"swans"}"#),
        // The server requires a confirmation, the user confirms, and the server has not granted its scope.
        Call::new("delete_ticket", r#"{"ticket_id":"PROJ-1"}"#),
    ];
    let reach = Reach::Command(kernel.stdio(&context));
    let played = HostClient::Python1.play_for(HostUser::Agrees, &context.folder, &reach, &calls).await?;
    let names = played.tools.names()?;
    if names != TOOLS {
        return Err(format!("the host lists {names:?}, expected {TOOLS:?}"));
    }
    for (at, part) in [(0, "Fix login bug"), (1, "PROJ-4"), (2, "Count swans")] {
        let text = played.calls.get(at).map_or(Err("no answer".to_owned()), Answer::text)?;
        if !text.contains(part) {
            return Err(format!("call {at} answers {text:?}, expected {part:?} in it"));
        }
    }
    match played.calls.get(3).map(Answer::text) {
        Some(Err(error)) if error.contains("Missing required scopes: delete:tickets") => Ok(()),
        other => Err(format!("the server's refusal reads as {other:?}")),
    }
}

/// Our client, which also reads the parts beyond MCP.
async fn ours(context: Context) -> Result<(), String> {
    let kernel = kernel(&context, &[])?;
    let client = connect(&context, &Instance::Child(kernel.stdio(&context)), None).await?;
    let tools = client.list_tools().await.map_err(|error| format!("failed to list: {error}"))?;
    if tools.len() != TOOLS.len() || tools.iter().any(|tool| tool.input_schema.is_none()) {
        return Err(format!("the tools are {tools:?}"));
    }
    let key = json!({ "idempotency_key": "swans-1" });
    let title = json!({ "title": "Count swans" });
    let first = call(&client, "create_ticket", &title, &key).await?;
    let again = call(&client, "create_ticket", &title, &key).await?;
    let found = call(&client, "search_tickets", &json!({ "query": "swans" }), &json!({})).await?;
    let checked = request(
        &client,
        "mgp/tools/check",
        &json!({ "name": "delete_ticket", "arguments": { "ticket_id": "PROJ-1" } }),
    )
    .await?;
    let expected = |value: &Value, pointer: &str, expected: Value| match value.pointer(pointer) {
        Some(found) if *found == expected => Ok(()),
        found => Err(format!("{pointer} is {found:?}, expected {expected}: {value}")),
    };
    expected(&first, "/structuredContent/created", json!(true))?;
    expected(&again, "/structuredContent/ticket/id", first["structuredContent"]["ticket"]["id"].clone())?;
    expected(&again, "/_meta/was_replay", json!(true))?;
    expected(&found, "/structuredContent/total_count", json!(1))?;
    expected(&found, "/_meta/provenance/source", json!("project-tracker:tickets_table"))?;
    expected(&checked, "/would_ask/0/kind", json!("confirmation"))?;
    if !found["_meta"]["session_state"].is_string() {
        return Err(format!("the server's session state is lost: {found}"));
    }
    Ok(())
}

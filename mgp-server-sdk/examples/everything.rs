//! A server with one of each thing: tools, resources, prompts, completion, logging, progress, streaming.
//!
//! Run it with `stdio` (the default), or with the address to serve over HTTP.

use mgp_server_sdk::{
    Error, Json, Notifier, Progress, Prompt, Resource, ResourceTemplate, RiskLevel, Server, StreamContent,
    StreamSink, Tool, ToolError,
    extract::{Args, Log, Prefix, State},
};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// Notes by name.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<BTreeMap<String, String>>>);

impl Notes {
    fn with<R>(&self, run: impl FnOnce(&mut BTreeMap<String, String>) -> R) -> R {
        run(&mut self.0.lock())
    }
}

#[derive(Deserialize, JsonSchema)]
struct Write {
    /// The name of the note: letters and digits.
    name: String,
    /// The text of the note.
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct WrittenNote {
    /// The number of notes.
    notes: usize,
}

async fn write(
    State(notes): State<Notes>,
    Args(Write { name, text }): Args<Write>,
    log: Log,
    notifier: Notifier,
) -> Result<Json<WrittenNote>, ToolError> {
    if name.is_empty() || !name.chars().all(char::is_alphanumeric) {
        return Err(ToolError::invalid_arguments(format!(
            "name: expected letters and digits, found {name:?}"
        )));
    }
    let written = notes.with(|notes| {
        notes.insert(name.clone(), text);
        WrittenNote { notes: notes.len() }
    });
    log.info(&format!("note {name} written")).await;
    notifier.resource_updated(&format!("note://{name}")).await;
    Ok(Json(written))
}

#[derive(Deserialize, JsonSchema)]
struct GreetParams {
    /// The name of the note.
    name: String,
}

async fn read(
    State(notes): State<Notes>,
    Args(GreetParams { name }): Args<GreetParams>,
) -> Result<String, ToolError> {
    let text = notes.with(|notes| notes.get(&name).cloned());
    text.ok_or_else(|| ToolError::resource_not_found(&format!("note://{name}")))
}

async fn names(State(notes): State<Notes>, Prefix(typed): Prefix) -> Vec<String> {
    notes.with(|notes| notes.keys().filter(|name| name.starts_with(&*typed)).cloned().collect())
}

async fn index(State(notes): State<Notes>) -> String {
    notes.with(|notes| notes.keys().cloned().collect::<Vec<_>>().join("\n"))
}

async fn summarize(Args(GreetParams { name }): Args<GreetParams>) -> String {
    format!("Read note://{name} and sum it up in one sentence.")
}

#[derive(Deserialize, JsonSchema)]
struct Count {
    /// The number to count to.
    to: u32,
    /// The wait between two numbers, in milliseconds.
    #[serde(default)]
    pause_ms: u64,
}

async fn count(
    Args(Count { to, pause_ms }): Args<Count>,
    mut progress: Progress,
    mut sink: StreamSink,
) -> Result<StreamContent, ToolError> {
    for number in 1..=to {
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        progress.report(number.into(), Some(to.into()), None).await?;
        sink.send_text(&format!("{number} ")).await?;
    }
    Ok(sink.finish())
}

async fn boom() {
    panic!("as asked");
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let server = Server::new("everything", "1.0.0")
        .title("One of each")
        .instructions("Write notes with `write`, read them as resources.")
        .state(Notes::default())
        .tool(
            Tool::new("write", "Writes a note", write)
                .idempotent(true)
                .risk(RiskLevel::Moderate)
                .permissions(["memory.write"]),
        )
        .tool(Tool::new("count", "Counts, number by number", count).read_only(true))
        .tool(Tool::new("boom", "Panics", boom))
        .resource(Resource::text("notes://index", "index", index).title("All notes"))
        .resource_template(ResourceTemplate::text("note://{name}", "note", read).complete("name", names))
        .prompt(Prompt::new("summarize", "Sums up a note", summarize).complete("name", names))
        .max_concurrent_calls(16)
        .call_timeout(Duration::from_secs(60));
    serve(server).await
}

#[cfg(feature = "http")]
async fn serve(server: Server) -> Result<(), Error> {
    match std::env::args().nth(1).and_then(|address| address.parse::<std::net::SocketAddr>().ok()) {
        Some(address) => server.serve_http(address).await,
        None => server.serve_stdio().await,
    }
}

#[cfg(not(feature = "http"))]
async fn serve(server: Server) -> Result<(), Error> {
    server.serve_stdio().await
}

//! The options of a client's call at a kernel.

use crate::support::agents;
use mgp_client_sdk::client::{CallOptions, Client, ToolCallError};
use mgp_kernel::{CallError, DefaultPolicy, Endpoint, InProcess, Kernel, Principal, ServerSpec};
use mgp_server_sdk::{Json, Server, Tool, extract::Args};
use mgp_types::idempotency::{IDEMPOTENCY_CONFLICT, IdempotencyKey, ReplayNote};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};
use xtask_testing::within;

#[derive(Deserialize, JsonSchema)]
struct Export {
    rows: usize,
}

#[derive(Serialize, JsonSchema)]
struct Rows {
    rows: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Import {
    title: String,
    data: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema, Debug, PartialEq, Eq)]
struct ImportReport {
    title: String,
    bytes: usize,
    run: u32,
}

async fn export(Args(Export { rows }): Args<Export>) -> Json<Rows> {
    Json(Rows { rows: (0..rows).map(|row| format!("row {row}")).collect() })
}

/// Starts a kernel in front of a server that exports rows, and imports them again.
async fn gateway() -> (Kernel, Client, Arc<AtomicU32>) {
    let runs = Arc::new(AtomicU32::new(0));
    let counted = runs.clone();
    let import = move |Args(Import { title, data }): Args<Import>| {
        let run = counted.fetch_add(1, Ordering::SeqCst) + 1;
        async move { Json(ImportReport { title, bytes: data.iter().map(String::len).sum(), run }) }
    };
    let stack = Server::new("sheets", "1.0.0")
        .tool(Tool::new("export", "Exports rows", export))
        .tool(Tool::new("import", "Imports rows", import))
        .build()
        .unwrap();
    let endpoint = Endpoint::InProcess(InProcess::new(move || stack.in_process()));
    let mut spec = ServerSpec::new("sheets", endpoint);
    spec.default_policy = DefaultPolicy::OptOut;
    let kernel = within(Kernel::builder().config(agents(["ann"])).server(spec).start()).await.unwrap();
    let (input, output) = kernel.face().in_process(Principal::agent("ann"));
    let client = within(Client::builder("test", "1").connect(input, output)).await.unwrap();
    within(kernel.ready(std::time::Duration::from_secs(60))).await;
    (kernel, client, runs)
}

#[tokio::test]
async fn a_kept_result_becomes_an_argument_of_another_call() {
    let (_kernel, client, _) = gateway().await;
    let keep = CallOptions::new().keep_result();
    let kept = within(client.call_tool_with("export", json!({"rows": 1000}), keep)).await.unwrap();
    let reference = kept.reference().unwrap();
    assert_eq!((&*reference.origin_server, &*reference.mime_type), ("sheets", "application/json"));
    let text = kept.content[0].as_text().unwrap();
    assert!(!text.contains("row 7") && reference.size_bytes > Some(8000), "{reference:?}");
    let refer = CallOptions::new().reference("/data", format!("{}#/rows", reference.ref_id));
    let imported: ImportReport =
        within(client.call_with("import", json!({"title": "all"}), refer)).await.unwrap();
    let bytes = (0..1000).map(|row| format!("row {row}").len()).sum();
    assert_eq!(imported, ImportReport { title: "all".into(), bytes, run: 1 });
    // One that nobody keeps is refused, and named.
    let unknown = CallOptions::new().reference("/data", "ref-0");
    let error = within(client.call_with::<ImportReport>("import", json!({"title": "x"}), unknown)).await;
    let Err(ToolCallError::Call(CallError::Peer(error))) = error else { panic!("{error:?}") };
    assert!(error.message.contains("ref-0"), "{error}");
}

#[tokio::test]
async fn a_call_with_a_key_runs_once_and_its_answer_is_marked() {
    let (_kernel, client, runs) = gateway().await;
    let once = || CallOptions::new().idempotency_key(&IdempotencyKey::new("op-1").unwrap());
    let arguments = json!({"title": "t", "data": ["a"]});
    let first = within(client.call_tool_with("import", &arguments, once())).await.unwrap();
    let again = within(client.call_tool_with("import", &arguments, once())).await.unwrap();
    let notes = [&first, &again].map(|answer| answer.replay_note().unwrap());
    assert_eq!(notes.clone().map(|note: ReplayNote| note.was_replay), [false, true]);
    assert_eq!(notes[0].original_timestamp, notes[1].original_timestamp);
    assert_eq!(first.structured_content, again.structured_content);
    let other = json!({"title": "u", "data": ["a"]});
    let refused = within(client.call_tool_with("import", &other, once())).await.unwrap_err();
    assert!(refused.to_string().contains(IDEMPOTENCY_CONFLICT), "{refused}");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

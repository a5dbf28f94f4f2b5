//! Calls that ask a gateway for more than the call itself.

use crate::{
    scripted::{self, plain, result},
    support::{builder, within},
};
use mgp_client_sdk::{Era, EraChoice, client::CallOptions};
use mgp_types::idempotency::IdempotencyKey;
use serde_json::json;
use std::{sync::Arc, time::Duration};

fn key(text: &str) -> IdempotencyKey {
    IdempotencyKey::new(text).unwrap()
}

#[tokio::test]
async fn options_are_members_of_the_call_s_meta_in_each_era_and_a_server_may_know_nothing_of_them() {
    let script = |line: &serde_json::Value| {
        plain(line, &json!({})).unwrap_or_else(|| result(json!({"content": [{"type": "text", "text": "7"}]})))
    };
    for era in [Era::Initialize, Era::Stateless] {
        let choice = EraChoice::Known(era);
        let (client, lines) = scripted::connect(Arc::new(script), builder(), choice).await;
        let client = client.unwrap();
        let all = CallOptions::new()
            .keep_result()
            .reference("/a", "ref-1")
            .reference("/b", "ref-2#/rows")
            .reference("/a", "ref-3")
            .idempotency_key(&key("op-1"))
            .idempotency_ttl(Duration::from_millis(1500))
            .intent("Try it")
            .transaction("tx-1")
            .step("first")
            .attest();
        let answer = within(client.call_tool_with("work", json!({"n": 1}), all.clone())).await.unwrap();
        assert_eq!((answer.reference(), answer.replay_note()), (None, None), "{era:?}");
        let typed: u32 = within(client.call_with("work", (), CallOptions::new())).await.unwrap();
        within(client.start_tool_with("work", (), all)).await.unwrap();
        let sent = lines.wait_for("tools/call", 3).await;
        assert_eq!((typed, &sent[0]["params"]["arguments"]), (7, &json!({"n": 1})));
        for call in [&sent[0], &sent[2]] {
            let meta = &call["params"]["_meta"];
            for (member, value) in [
                (
                    "dev.cloto/call",
                    json!({"keep_result": true, "refs": {"/a": "ref-3", "/b": "ref-2#/rows"}}),
                ),
                ("idempotency_key", json!("op-1")),
                ("idempotency_ttl_seconds", json!(1)),
                ("intent", json!("Try it")),
                ("transaction_id", json!("tx-1")),
                ("step_id", json!("first")),
                ("dev.cloto/attest", json!(true)),
            ] {
                assert_eq!(meta[member], value, "{era:?}: {call}");
            }
        }
        assert!(!sent[1].to_string().contains("dev.cloto/call"), "{}", sent[1]);
    }
}

#[cfg(feature = "kernel")]
mod through_a_kernel {
    use super::{json, key, within};
    use mgp_client_sdk::{
        CallError, DefaultPolicy, Principal,
        client::{CallOptions, Client, ToolCallError},
        kernel::{Endpoint, InProcess, Kernel, ServerSpec},
    };
    use mgp_server_sdk::{Json, Server, Tool, extract::Args};
    use mgp_types::idempotency::{IDEMPOTENCY_CONFLICT, ReplayNote};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use std::sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    };

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
        let kernel = within(Kernel::builder().agent("ann").server(spec).start()).await.unwrap();
        let (input, output) = kernel.face().in_process(Principal::agent("ann"));
        let client = within(Client::builder("test", "1").connect(input, output)).await.unwrap();
        within(kernel.ready(std::time::Duration::from_secs(60))).await;
        (kernel, client, runs)
    }

    #[tokio::test]
    async fn what_is_kept_goes_into_the_arguments_of_another_call() {
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
    async fn a_call_with_a_key_is_made_once_and_its_answer_says_which_it_is() {
        let (_kernel, client, runs) = gateway().await;
        let once = || CallOptions::new().idempotency_key(&key("op-1"));
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
}

//! A dry run of a tool that an agent may not see answers with the bytes of one that does not exist.

use crate::{
    raw_host::{As, ERAS, RawHost},
    support::{rule, spec, start},
};
use mgp_types::access::{AccessDecision, DefaultPolicy};
use serde_json::{Value, json};

/// Returns the ways to have a call checked.
fn checks(name: &str) -> Vec<(&'static str, Value)> {
    let arguments = json!({"command": "rm -rf /", "steps": "none"});
    let meta = json!({"name": name, "arguments": arguments, "dry_run": true});
    vec![
        ("mgp/tools/check", json!({"name": name, "arguments": arguments})),
        ("tools/validate", json!({"name": format!("test__{name}")})),
        ("can_execute", json!({"tool": name, "parameters": arguments})),
        ("check_permissions", json!({"tool": name})),
        ("tools/call", json!({"name": "mgp_tools_call", "arguments": meta})),
    ]
}

/// Returns everything that a host reads when it has calls of a tool checked in all those ways.
async fn read(host: &mut RawHost, name: &str) -> Vec<String> {
    host.read.clear();
    let mut first = None;
    for (method, params) in checks(name) {
        let id = host.send(method, params).await;
        first.get_or_insert(id);
        host.answer_to(id).await;
    }
    host.settle().await;
    let comparable = |mut message: Value| {
        if let Some(id) = message["id"].as_i64() {
            message["id"] = json!(id - first.unwrap());
        }
        without_traces(&mut message);
        message.to_string().replace(name, "TOOL")
    };
    // A notice that the list of tools has changed may come at any time, and is about no check.
    host.read
        .drain(..)
        .filter(|message| message["method"] != "notifications/tools/list_changed")
        .map(comparable)
        .collect()
}

/// Takes out the traces, of which each call has its own.
fn without_traces(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("trace_id");
            members.values_mut().for_each(without_traces);
        }
        Value::Array(items) => items.iter_mut().for_each(without_traces),
        Value::String(text) => {
            if let Ok(mut inner @ Value::Object(_)) = serde_json::from_str(text) {
                without_traces(&mut inner);
                *text = inner.to_string();
            }
        }
        _ => {}
    }
}

#[tokio::test]
async fn a_dry_run_of_a_hidden_tool_answers_as_of_an_absent_one() {
    for (era, conceal) in ERAS.into_iter().flat_map(|era| [(era, true), (era, false)]) {
        let setup = start(|kernel, signals| {
            let mut spec = spec("test", signals);
            spec.default_policy = DefaultPolicy::OptIn;
            kernel.server(spec).config(|config| config.access.conceal = Some(conceal))
        })
        .await;
        setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Allow)).await.unwrap();
        for this in [As::plain(era), As::mgp(era)] {
            let mut host = setup.raw_host(this).await;
            host.text("add", json!({"a": 1, "b": 1})).await;
            host.settle().await;
            let absent = read(&mut host, "nothing").await;
            assert_eq!(absent.len(), checks("").len(), "nothing but the answers: {absent:?}");
            assert!(
                absent.iter().all(|line| line.contains("allowed") && line.contains("false")),
                "{absent:?}"
            );
            for hidden in ["run_shell", "count", "secret", "hang"] {
                assert_eq!(read(&mut host, hidden).await, absent, "{era:?} {hidden}");
            }
        }
    }
}

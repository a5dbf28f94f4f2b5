//! Tools that are left out of a listing are named; servers that declare no tools.

use crate::{
    log,
    raw_server::{RawServer, error, result},
    support::{full, start, within},
};
use mgp_kernel::Era;
use mgp_types::{context::Principal, lifecycle::ServerState};
use serde_json::{Value, json};

#[tokio::test]
async fn unreadable_tools_are_named_in_one_bounded_warning() {
    let (warnings, _guard) = log::keep();
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        let schema = json!({"type": "object"});
        let tool = |name: String| json!({"name": name, "inputSchema": schema});
        let long = |start: String| tool(format!("{start}{}", "x".repeat(5000)));
        let mut tools = vec![
            tool("good".into()),
            long("bad\u{1b}[2J one".into()),
            long(String::new()),
            json!({"name": 8, "inputSchema": schema}),
        ];
        tools.extend((0..40).map(|n| long(format!("more {n}"))));
        (message["method"] == "tools/list").then(|| vec![result(message, json!({"tools": tools}))])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("raw")).config(full)).await;
    let host = setup.host().await;
    let listed = within(host.list_tools()).await.unwrap();
    assert!(listed.iter().any(|tool| tool.name == "good"), "{listed:?}");
    let said: Vec<_> =
        warnings.take().into_iter().filter(|warning| warning.message.contains("left out")).collect();
    let [unreadable, unusable] = &said[..] else { panic!("{said:?}") };
    assert!(unreadable.text.contains("tool 4 of the list (invalid name: "), "{}", unreadable.text);
    let message = &unusable.text;
    assert!(message.contains(r"bad\u{1b}[2J one") && message.contains("42"), "{message}");
    assert!(message.len() < 3000, "{} bytes: {message}", message.len());
}

#[tokio::test]
async fn a_server_that_declares_only_other_areas_has_no_tools() {
    for area in ["resources", "prompts", "completions", "logging"] {
        let server = RawServer::new(Era::Initialize, json!({area: {}}), |message| {
            let list = message["method"].as_str().and_then(|method| method.strip_suffix("/list"));
            list.filter(|area| *area != "tools").map(|area| vec![result(message, json!({area: []}))])
        });
        let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
        assert_eq!(setup.kernel.servers()[0].status().state, ServerState::Connected, "{area}");
        assert_eq!(server.read_of("tools/list"), [] as [Value; 0], "{area}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_declares_nothing_may_have_tools_and_is_up() {
    type Answer = fn(&Value) -> Vec<Value>;
    let answers: [(Answer, usize); 4] = [
        (
            |message| {
                vec![result(message, json!({"tools": [{"name": "work", "inputSchema": {"type": "object"}}]}))]
            },
            1,
        ),
        (|message| vec![error(message, -32603, "boom")], 0),
        (|message| vec![result(message, json!({}))], 0),
        (|_| Vec::new(), 0),
    ];
    for (answer, tools) in answers {
        let server = RawServer::new(Era::Initialize, json!({}), move |message| {
            (message["method"] == "tools/list").then(|| answer(message))
        });
        let setup = start(|kernel, _| kernel.server(server.spec("raw"))).await;
        let listed = setup.kernel.tools(&Principal::agent("agent.test"));
        let of_server = listed.iter().filter(|tool| &*tool.tool.id().server_id == "raw").count();
        assert_eq!((setup.kernel.servers()[0].status().state, of_server), (ServerState::Connected, tools));
    }
}

//! Tools as the operator wants them.

use crate::support::{START_LIMIT, Setup, agent_test, full, rule, start};
use mgp_client_sdk::client::Client;
use mgp_discovery::config::ToolShape;
use mgp_kernel::{Endpoint, InProcess, ServerSpec};
use mgp_server_sdk::{Server, Tool, extract::RawArgs};
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    json::RawJson,
    tool_security::OnChange,
};
use serde_json::{Value, json};

/// Returns a server of one tool, `search`, which answers its arguments, and of another one, `wipe`.
fn server(shapes: Value) -> ServerSpec {
    let schema = json!({
        "type": "object",
        "properties": {"query": {"type": "string"}, "tenant": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["query", "tenant", "limit"],
        "additionalProperties": false,
    });
    let answer = async |RawArgs(arguments): RawArgs| arguments.as_str().to_owned();
    let stack = Server::new("test", "1")
        .tool(Tool::raw("search", "Searches.", schema, answer).check_arguments(false))
        .tool(Tool::new("wipe", "Deletes everything", async || "wiped"))
        .build()
        .unwrap();
    let mut spec = ServerSpec::new("test", Endpoint::InProcess(InProcess::new(move || stack.in_process())));
    spec.default_policy = DefaultPolicy::OptOut;
    spec.shapes = serde_json::from_value::<Vec<ToolShape>>(shapes).unwrap().into();
    spec
}

async fn kernel(shapes: Value) -> Setup {
    start(|kernel, _| kernel.server(server(shapes)).config(full)).await
}

async fn call(host: &Client, tool: &str, arguments: Value) -> Result<Value, String> {
    let result = host.call_tool(tool, RawJson::from_value(&arguments).unwrap()).await;
    let result = result.map_err(|error| error.to_string())?;
    let text = result.content[0].as_text().unwrap().to_owned();
    if result.failed() { Err(text) } else { Ok(serde_json::from_str(&text).unwrap_or(Value::String(text))) }
}

#[tokio::test]
async fn hosts_see_and_call_a_tool_as_the_operator_wants_it() {
    let setup = kernel(json!([
        {"name": "search", "rename": "find", "description": {"prepend": "Use this one."}, "arguments": {"tenant": "t-1"}, "defaults": {"limit": 5}},
        {"name": "wipe", "hide": true},
    ]))
    .await;
    let host = setup.host().await;
    let tools: Vec<_> =
        host.list_tools().await.unwrap().into_iter().filter(|tool| !tool.name.starts_with("mgp_")).collect();
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["find"]);
    assert_eq!(tools[0].description.as_deref(), Some("Use this one.\n\nSearches."));
    let schema: Value = tools[0].input_schema.as_ref().unwrap().decode().unwrap();
    assert_eq!(schema["required"], json!(["query"]));
    assert_eq!(
        schema["properties"],
        json!({"query": {"type": "string"}, "limit": {"type": "integer", "default": 5}})
    );
    let sent = json!({"query": "a", "tenant": "t-1", "limit": 5});
    for name in ["find", "test__find"] {
        assert_eq!(call(&host, name, json!({"query": "a"})).await, Ok(sent.clone()), "{name}");
    }
    let own = call(&host, "find", json!({"query": "a", "limit": 7})).await.unwrap();
    assert_eq!(own["limit"], 7);
    for name in ["search", "test__search", "wipe", "test__wipe"] {
        let error = call(&host, name, json!({"query": "a"})).await.unwrap_err();
        assert!(error.contains("unknown tool"), "{name}: {error}");
    }
    // The trail has both names.
    let events = serde_json::to_string(&setup.sink.events()).unwrap();
    assert!(
        events.contains(r#""tool_name":"find""#) && events.contains(r#""own_name":"search""#),
        "{events}"
    );
}

#[tokio::test]
async fn an_agent_cannot_send_a_fixed_argument_or_read_it() {
    let secret = "hush-7f3";
    // A name that a pointer in an error must escape, and one that is not in the schema.
    let fixed = json!({"tenant": secret, "a/b~c": {"deep": [secret]}, "": secret});
    let setup = kernel(json!([{"name": "search", "arguments": fixed}])).await;
    let host = setup.host().await;
    for sent in ["tenant", "a/b~c", ""] {
        for value in [json!(secret), json!(null), json!("other"), json!({})] {
            let error =
                call(&host, "search", json!({"query": "a", "limit": 1, sent: value})).await.unwrap_err();
            assert!(error.contains(&format!("{sent:?}")) && error.contains("set by the operator"), "{error}");
            assert!(!error.contains(secret) || value == secret, "{error}");
        }
    }
    let checked = start(|kernel, _| {
        kernel
            .server(server(json!([{"name": "search", "arguments": fixed}])))
            .config(full)
            .config(|config| config.kernel.check_arguments = true)
    })
    .await;
    let host = checked.host().await;
    for wrong in [
        json!({}),
        json!({"query": 7}),
        json!({"query": "a", "limit": "x", "more": 1}),
        json!({"query": "a", "limit": {}}),
        json!({"limit": []}),
    ] {
        let error = host.call_tool("search", RawJson::from_value(&wrong).unwrap()).await.unwrap_err();
        let error = format!("{error} {error:?}");
        assert!(error.contains("invalid arguments") && !error.contains(secret), "{wrong}: {error}");
    }
    let passed = call(&host, "search", json!({"query": "a", "limit": 1})).await.unwrap();
    assert_eq!((&passed["tenant"], &passed["a/b~c"]), (&json!(secret), &json!({"deep": [secret]})));
}

#[tokio::test]
async fn the_agent_of_a_call_can_be_an_argument() {
    let setup = kernel(json!([{"name": "search", "arguments": {"tenant": "${session.agent}"}}])).await;
    let passed = call(&setup.host().await, "search", json!({"query": "a", "limit": 1})).await.unwrap();
    assert_eq!(passed["tenant"], "agent.test");
}

#[tokio::test]
async fn rules_are_about_the_new_name() {
    let setup = kernel(json!([{"name": "search", "rename": "find"}])).await;
    let host = setup.host().await;
    let deny = |tool: &str| rule("test", Some(tool), AccessDecision::Deny);
    setup.kernel.access().put(deny("search")).await.unwrap();
    call(&host, "find", json!({"query": "a"})).await.unwrap();
    setup.kernel.access().put(deny("find")).await.unwrap();
    assert!(call(&host, "find", json!({"query": "a"})).await.is_err());
}

#[tokio::test]
async fn the_risk_is_that_of_the_server_s_own_text_unless_it_is_set() {
    // A call of a dangerous tool waits for an approval, which nobody gives here.
    let setup = start(|kernel, _| {
        let renamed = json!([{"name": "wipe", "rename": "harmless", "description": "Harmless"}]);
        kernel.server(server(renamed)).config(full).config(|config| config.permissions.wait_ms = 1)
    })
    .await;
    let error = call(&setup.host().await, "harmless", json!({})).await.unwrap_err();
    assert!(error.contains("the tool is dangerous"), "{error}");
    let setup = kernel(json!([{"name": "wipe", "rename": "harmless", "risk": "safe"}])).await;
    assert_eq!(call(&setup.host().await, "harmless", json!({})).await, Ok(json!("wiped")));
}

#[tokio::test]
async fn hosts_get_the_selected_part_of_a_result() {
    let setup = kernel(json!([
        {"name": "search", "result": "query", "arguments": {"tenant": "x"}, "defaults": {"limit": 1}},
        {"name": "wipe", "max_tokens": 1, "risk": "safe"},
    ]))
    .await;
    let host = setup.host().await;
    assert_eq!(call(&host, "search", json!({"query": "what"})).await, Ok(json!("what")));
    let result = host.call_tool("wipe", RawJson::empty_object()).await.unwrap();
    let texts: Vec<_> = result.content.iter().filter_map(|block| block.as_text()).collect();
    assert_eq!(texts, ["wipe", "[cut off: the first 4 of 5 bytes]"]);
    let events = serde_json::to_string(&setup.sink.events()).unwrap();
    assert_eq!(events.matches(r#""shaped":true"#).count(), 2, "{events}");
}

#[tokio::test]
async fn a_change_of_shape_is_no_change_of_the_definition() {
    let folder = tempfile::tempdir().unwrap();
    for (shapes, name) in [
        (json!([]), "search"),
        (json!([{"name": "search", "description": "Another text."}]), "search"),
        (json!([{"name": "search", "description": "Another text.", "arguments": {"tenant": "x"}}]), "search"),
    ] {
        let mut spec = server(shapes);
        spec.on_change = Some(OnChange::Hold);
        let kernel = mgp_kernel::Kernel::builder()
            .server(spec)
            .state_folder(folder.path())
            .config(agent_test)
            .start()
            .await
            .unwrap();
        assert!(kernel.ready(START_LIMIT).await.is_empty());
        let setup =
            Setup { kernel, sink: mgp_security::audit::MemorySink::new(10), signals: Default::default() };
        call(&setup.host().await, name, json!({"query": "a", "limit": 1})).await.unwrap();
        setup.kernel.shutdown().await;
    }
}

//! Calls that are refused, each by its gate and with one event.

use crate::support::{code, json, number, open, rule, spec, start, within};
use mgp_kernel::AskHost;
use mgp_security::profile::Confirmation;
use mgp_transport::seam::{BoxPeerService, Decision, Judge, Refusal, RefusalKind, ToolCall};
use mgp_types::{
    access::{AccessDecision, AccessGrantParams, DefaultPolicy, GrantAccess},
    context::Principal,
    error::ErrorCode,
    json::RawObject,
    negotiation::ExtensionSet,
    permission::{Permission, PermissionPolicy, StandardPermission},
    tool_security::ValidatorName,
};
use parking_lot::Mutex;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tower::{ServiceExt, layer::layer_fn, service_fn};

#[tokio::test]
async fn an_unknown_tool_is_refused_by_name_and_recorded() {
    let setup = open().await;
    let error = within(setup.host().await.call_tool("nothing", json("{}"))).await.unwrap_err();
    assert_eq!(code(&error), number(ErrorCode::ToolNotFound));
    assert!(error.to_string().contains("\"nothing\""));
    assert_eq!(setup.calls(), ["TOOL_BLOCKED BLOCKED .nothing"]);
    let error = within(setup.plain_host().await.call_tool("nothing", json("{}"))).await.unwrap_err();
    assert_eq!(code(&error), -32602, "a plain host gets MCP's code");
}

#[tokio::test]
async fn a_call_needs_a_grant() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.default_policy = DefaultPolicy::OptIn;
        kernel.server(spec)
    })
    .await;
    let host = setup.host().await;
    let add = || host.call_tool("add", json(r#"{"a":1,"b":1}"#));
    assert_eq!(code(&within(add()).await.unwrap_err()), number(ErrorCode::AccessDenied));
    setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Allow)).await.unwrap();
    within(add()).await.unwrap();
    // A grant for one tool opens no other, by whatever way it is called.
    let around = json(r#"{"name":"count","arguments":{"steps":1}}"#);
    let error = within(host.call_tool("mgp_tools_call", around)).await.unwrap_err();
    assert_eq!(code(&error), number(ErrorCode::AccessDenied));
    let expected = [
        "TOOL_BLOCKED BLOCKED test.add",
        "TOOL_EXECUTED SUCCESS test.add",
        "TOOL_BLOCKED BLOCKED test.count",
    ];
    assert_eq!(setup.calls(), expected);
}

#[tokio::test]
async fn only_an_admin_grants_and_is_recorded_as_the_author() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.default_policy = DefaultPolicy::OptIn;
        kernel.server(spec)
    })
    .await;
    let params: AccessGrantParams = json(
        r#"{"entry_type":"server_grant","agent_id":"agent.test","server_id":"test","permission":"allow","granted_by":"root"}"#,
    )
    .decode()
    .unwrap();
    let agent = setup.host().await;
    let error = within(agent.request::<GrantAccess>(&params)).await.unwrap_err();
    assert_eq!(code(&error), number(ErrorCode::PermissionDenied));
    let operator = setup.host_that(ExtensionSet::ALL, Principal::operator("alice")).await;
    within(operator.request::<GrantAccess>(&params)).await.unwrap();
    let entries = setup.kernel.access().entries().await.unwrap();
    assert_eq!(entries[0].granted_by.get().map(String::as_str), Some("alice"));
    within(agent.call_tool("add", json(r#"{"a":1,"b":1}"#))).await.unwrap();
}

#[tokio::test]
async fn a_call_without_an_approver_is_refused_until_an_approval() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals)).without_approver()).await;
    let host = setup.host().await;
    let error = within(host.call_tool("secret", json("{}"))).await.unwrap_err();
    assert_eq!(code(&error), number(ErrorCode::PermissionDenied));
    assert_eq!(setup.calls(), ["TOOL_BLOCKED BLOCKED test.secret"]);
    let camera = Permission::from(StandardPermission::Camera);
    setup.kernel.permissions().grant("test", &camera, &Principal::operator("alice"), None).await.unwrap();
    let picture = within(host.call_tool("secret", json("{}"))).await.unwrap();
    assert_eq!(picture.content[0].as_text(), Some("a picture"));
}

#[tokio::test]
async fn auto_approve_passes_a_dangerous_call_and_is_recorded() {
    let setup = start(|kernel, signals| {
        kernel
            .server(spec("test", signals))
            .config(|config| config.permissions.policy = Some(PermissionPolicy::AutoApprove))
    })
    .await;
    let picture = within(setup.host().await.call_tool("secret", json("{}"))).await.unwrap();
    assert_eq!(picture.content[0].as_text(), Some("a picture"));
    let types: Vec<_> = setup.sink.events().iter().map(|event| event.event_type.to_string()).collect();
    assert!(types.contains(&"PERMISSION_GRANTED".to_owned()), "{types:?}");
    within(setup.host().await.call_tool("add", json(r#"{"a":1,"b":1}"#))).await.unwrap();
    let calls = [
        "dev.cloto.mgp.TOOL_DISPATCHED SUCCESS test.secret",
        "TOOL_EXECUTED SUCCESS test.secret",
        "TOOL_EXECUTED SUCCESS test.add",
    ];
    // Only the dangerous call has an event before it.
    let mut found = setup.calls();
    found.retain(|call| !call.contains("PERMISSION_GRANTED") && !call.contains("CHANGE_INTENDED"));
    assert_eq!(found, calls);
}

#[tokio::test]
async fn a_validator_s_finding_reaches_the_agent_and_stops_the_tool() {
    let setup = open().await;
    let host = setup.host().await;
    let result = within(host.call_tool("run_shell", json(r#"{"command":"rm -rf /"}"#))).await.unwrap();
    assert!(result.failed());
    let report = RawObject::parse(result.content[0].as_text().unwrap().to_owned()).unwrap();
    assert_eq!(report.text("status").as_deref(), Some("rejected"));
    assert_eq!(setup.calls(), ["VALIDATION_FAILED BLOCKED test.run_shell"]);
}

#[tokio::test]
async fn a_call_that_an_unknown_validator_refuses_asks_nobody() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.validator = Some(ValidatorName::Unknown("homemade".into()));
        spec.confirmation = Some(Confirmation::Always);
        kernel.server(spec)
    })
    .await;
    let host = setup.host().await;
    // The second one needs a permission too, which nobody decided about.
    for tool in ["add", "secret"] {
        let result = within(host.call_tool(tool, json("{}"))).await.unwrap();
        let text = result.content[0].as_text().unwrap();
        assert!(result.failed() && text.contains("unknown validator") && text.contains("homemade"), "{text}");
    }
    assert_eq!(
        setup.calls(),
        ["VALIDATION_FAILED BLOCKED test.add", "VALIDATION_FAILED BLOCKED test.secret"]
    );
}

#[tokio::test]
async fn deep_duplicate_keys_in_arguments_never_reach_the_server() {
    let setup = open().await;
    let host = setup.host().await;
    let twice = json(r#"{"command":"ls","x":{"command":"ls","command":"rm -rf /"}}"#);
    let result = within(host.call_tool("run_shell", twice)).await;
    let refused = match &result {
        Ok(result) => result.failed() && result.content[0].as_text().unwrap().contains("duplicate key"),
        Err(error) => error.to_string().contains("duplicate key"),
    };
    assert!(refused, "{result:?}");
    assert_eq!(setup.calls(), ["VALIDATION_FAILED BLOCKED test.run_shell"]);
}

#[tokio::test]
async fn the_host_is_asked_by_elicitation_with_the_kernel_s_mark() {
    use mgp_client_sdk::client::Client;
    use mgp_transport::{
        connection::Config,
        memory,
        seam::{BoxError, Incoming, Reply},
    };
    use mgp_types::mcp::ClientCapabilities;
    let setup = start(|kernel, signals| kernel.server(spec("test", signals)).approver(AskHost::new())).await;
    let (asked, mut questions) = tokio::sync::mpsc::unbounded_channel();
    let user = service_fn(move |message: Incoming| {
        let asked = asked.clone();
        async move {
            if message.method == "elicitation/create" {
                asked.send(message.params.object().unwrap().text("message").unwrap())?;
                return Ok::<_, BoxError>(Reply::ok(json(
                    r#"{"action":"accept","content":{"decision":"always"}}"#,
                )));
            }
            Ok(Reply::none())
        }
    });
    let (here, there) = memory::pair();
    let face = setup.kernel.face();
    let connection = face.serve(Principal::agent("agent.test"), Config::default(), there.0, there.1);
    tokio::spawn(connection.closed());
    let host = Client::builder("asks its user", "1.0.0")
        .capabilities(ClientCapabilities::default().with("elicitation"))
        .service(user)
        .connect(here.0, here.1)
        .await
        .unwrap();
    let picture = within(host.call_tool("secret", json("{}"))).await.unwrap();
    assert_eq!(picture.content[0].as_text(), Some("a picture"));
    let question = within(questions.recv()).await.unwrap();
    assert!(question.starts_with("[mgp kernel]") && question.contains("camera"), "{question}");
}

#[tokio::test]
async fn a_delegation_counts_in_every_position() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.default_policy = DefaultPolicy::OptIn;
        kernel.server(spec)
    })
    .await;
    setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Allow)).await.unwrap();
    let host = setup.host().await;
    for member in [r#""_mgp":{"delegation":["boss"]}"#, r#""_meta":{"mgp":{"delegation":["boss"]}}"#] {
        let params = json(&format!(r#"{{"name":"add","arguments":{{"a":1,"b":1}},{member}}}"#));
        // The boss was granted nothing.
        let error = within(host.peer().request_raw("tools/call", params)).await.unwrap_err();
        assert_eq!(code(&error), number(ErrorCode::AccessDenied), "{member}");
    }
}

/// Refuses calls of one tool, and counts what reaches it.
fn own_gate(refused: &'static str, seen: Arc<AtomicUsize>) -> impl Judge + Clone {
    move |call: &ToolCall| {
        seen.fetch_add(1, Ordering::Relaxed);
        if &*call.target.tool.tool_name != refused {
            return Decision::Allow;
        }
        Refusal::new(RefusalKind::RateLimit, ErrorCode::RateLimited.error("enough for today")).into()
    }
}

#[tokio::test]
async fn a_program_s_gate_runs_after_access_and_before_the_validators() {
    let seen = Arc::new(AtomicUsize::new(0));
    let setup = start(|kernel, signals| {
        let mut closed = spec("closed", signals);
        closed.default_policy = DefaultPolicy::OptIn;
        kernel.server(spec("test", signals)).server(closed).gate(own_gate("add", seen.clone()))
    })
    .await;
    let host = setup.host().await;
    let call = |name: &'static str, arguments: &'static str| host.call_tool(name, json(arguments));
    assert_eq!(code(&within(call("closed__add", "{}")).await.unwrap_err()), number(ErrorCode::AccessDenied));
    assert_eq!(seen.load(Ordering::Relaxed), 0);
    assert_eq!(code(&within(call("add", "{}")).await.unwrap_err()), number(ErrorCode::RateLimited));
    assert_eq!(seen.load(Ordering::Relaxed), 1);
    // What a validator refuses has passed it.
    assert!(within(call("run_shell", r#"{"command":"rm -rf /"}"#)).await.unwrap().failed());
    assert_eq!(seen.load(Ordering::Relaxed), 2);
    within(call("count", r#"{"steps":1}"#)).await.unwrap();
    assert_eq!(
        setup.calls(),
        [
            "TOOL_BLOCKED BLOCKED closed.add",
            "TOOL_BLOCKED BLOCKED test.add",
            "VALIDATION_FAILED BLOCKED test.run_shell",
            "TOOL_EXECUTED SUCCESS test.count",
        ]
    );
}

#[tokio::test]
async fn a_program_s_layer_sees_only_calls_that_its_gates_allowed() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let calls = seen.clone();
    let note = layer_fn(move |inner: BoxPeerService<ToolCall>| {
        let calls = calls.clone();
        inner.map_request(move |call: ToolCall| {
            calls.lock().push((call.target.called_as.to_string(), call.principal.id().to_owned()));
            call
        })
    });
    let setup = start(|kernel, signals| {
        let gate = own_gate("add", Arc::default());
        kernel.server(spec("test", signals)).gate(gate).layer(note)
    })
    .await;
    let host = setup.host().await;
    within(host.list_tools()).await.unwrap();
    within(host.call_tool("mgp_tools_discover", json(r#"{"query":"add"}"#))).await.unwrap();
    within(host.call_tool("add", json("{}"))).await.unwrap_err();
    let names = ["count", "test__count", "count"];
    for name in names {
        within(host.call_tool(name, json(r#"{"steps":1}"#))).await.unwrap();
    }
    // Each call has the name that its host used.
    assert_eq!(*seen.lock(), names.map(|name| (name.to_owned(), "agent.test".to_owned())));
}

//! Calls that need an approval: at hosts that can be asked, at hosts that cannot, and while they wait.

use crate::{
    features::events,
    raw_host::{As, RawHost, all},
    support::{Setup, agents, pause_clock, spec, start, until_some},
};
use mgp_kernel::{AskHost, Era, KernelBuilder, ServerSpec};
use mgp_security::{
    permission::{ApprovalTerm, ConfirmationRow, Deny},
    profile::Confirmation,
};
use mgp_types::{
    audit::AuditEventType,
    context::Principal,
    permission::{Permission, PermissionState, StandardPermission},
};
use serde_json::{Value, json};

/// Starts a kernel with one dangerous server.
async fn kernel_with(build: impl FnOnce(KernelBuilder) -> KernelBuilder) -> Setup {
    start(|kernel, signals| build(kernel.server(dangerous(spec("test", signals))))).await
}

/// Makes the calls of a server need a confirmation, unless an approval covers them.
fn dangerous(mut spec: ServerSpec) -> ServerSpec {
    spec.confirmation = Some(Confirmation::UnlessApproved);
    spec
}

fn operator() -> Principal {
    Principal::operator("ann")
}

/// Connects a plain host that cannot be asked anything.
async fn mute(setup: &Setup) -> RawHost {
    setup.raw_host(As::plain(Era::Initialize).can(json!({}))).await
}

fn add(a: i64) -> Value {
    json!({"name": "add", "arguments": {"a": a, "b": 1}})
}

async fn question(setup: &Setup) -> ConfirmationRow {
    let pending = setup.kernel.confirmations().pending().await.unwrap();
    assert_eq!(pending.len(), 1, "{pending:?}");
    pending[0].clone()
}

/// Returns the `confirmation` in the event of the latest call.
fn confirmed(setup: &Setup) -> Value {
    let events = setup.sink.events();
    // The event of a change that was made meanwhile may come after it.
    let call = events.iter().rfind(|event| event.event_type == AuditEventType::ToolExecuted);
    let details = call.unwrap().details.clone().unwrap();
    serde_json::from_str(details.get("confirmation").unwrap().as_str()).unwrap()
}

#[tokio::test]
async fn a_refusal_names_a_question_whose_approval_allows_the_call() {
    let setup = kernel_with(|kernel| kernel.approver(Deny)).await;
    let mut host = mute(&setup).await;
    let refused = host.refused("tools/call", add(1)).await;
    let row = question(&setup).await;
    let text = refused["message"].as_str().unwrap();
    assert!(text.contains(&format!("`mgp approve {}`", row.id)) && text.contains("\"agent.test\""), "{text}");
    assert_eq!((&*row.key.agent_id, &*row.key.tool_name), ("agent.test", "add"));

    setup.kernel.confirmations().approve(&row.id, ApprovalTerm::Once, &operator()).await.unwrap();
    // The call is the same under another name of the tool, and through another tool.
    let around = json!({"name": "mgp_tools_call", "arguments": add(1)});
    let answer = host.ask("tools/call", around).await;
    assert_eq!(answer["result"]["content"][0]["text"], "2", "{answer}");
    assert_eq!(confirmed(&setup), json!({"id": row.id, "by": "ann", "term": "once"}));
    for other in [add(1), add(2)] {
        host.refused("tools/call", other).await;
    }
    assert_eq!(setup.kernel.confirmations().pending().await.unwrap().len(), 2);
    assert_eq!(
        setup.calls(),
        [
            "dev.cloto.mgp.APPROVAL_NEEDED SUCCESS test.add",
            "TOOL_BLOCKED BLOCKED test.add",
            "dev.cloto.mgp.CHANGE_INTENDED SUCCESS test.add",
            "dev.cloto.mgp.CALL_APPROVED SUCCESS test.add",
            "TOOL_EXECUTED SUCCESS test.add",
            "dev.cloto.mgp.APPROVAL_NEEDED SUCCESS test.add",
            "TOOL_BLOCKED BLOCKED test.add",
            "dev.cloto.mgp.APPROVAL_NEEDED SUCCESS test.add",
            "TOOL_BLOCKED BLOCKED test.add",
        ]
    );
}

#[tokio::test]
async fn a_required_approval_is_announced_once_to_agent_and_operators() {
    let setup = kernel_with(|kernel| kernel.approver(Deny).config(agents(["bob"]))).await;
    setup.permission_asked().await;
    let mut caller = setup.raw_host(As::mgp(Era::Initialize)).await;
    let mut bob = setup.raw_host(As::mgp(Era::Initialize).of("bob")).await;
    let mut root = setup.raw_host(events::operator()).await;
    for host in [&mut caller, &mut bob, &mut root] {
        let channels = json!({"channels": ["security.approval_needed"]});
        events::subscribe(host, Era::Initialize, channels).await;
    }
    let mut host = mute(&setup).await;
    for _ in 0..2 {
        host.refused("tools/call", add(1)).await;
    }
    let row = question(&setup).await;
    for host in [&mut caller, &mut root] {
        let (channel, server, data, _) = events::hear(host).await;
        assert_eq!((&*channel, &*server), ("security.approval_needed", "test"));
        assert_eq!((&data["tool_name"], &data["request_id"]), (&json!("add"), &json!(row.id)));
        assert_eq!((&data["agent_id"], data.get("arguments")), (&json!("agent.test"), None));
    }
    for host in [&mut caller, &mut bob, &mut root] {
        host.settle().await;
        assert_eq!(host.count(events::EVENT), 0, "{:?}", host.heard);
    }
}

#[tokio::test]
async fn a_waiting_call_reports_progress_and_ends_before_the_host_s() {
    for tool in ["add", "secret"] {
        let setup = kernel_with(|kernel| kernel).await;
        let mut host = mute(&setup).await;
        let arguments = if tool == "add" { json!({"a": 1, "b": 1}) } else { json!({}) };
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "p"}});
        let _paused = pause_clock();
        let call = host.send("tools/call", params).await;
        let began = tokio::time::Instant::now();
        let mut last = 0.0;
        for _ in 0..3 {
            let told = host.hear("notifications/progress").await["params"].clone();
            assert_eq!(told["progressToken"], "p");
            assert!(told["message"].as_str().unwrap().contains("`mgp approve "), "{told}");
            let progress = told["progress"].as_f64().unwrap();
            assert!(progress > last && progress < 0.01, "{told}");
            last = progress;
        }
        let answer = host.answer_to(call).await;
        let took = began.elapsed().as_secs();
        assert!((44..=46).contains(&took), "{took}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("`mgp approve "), "{answer}");
    }
}

#[tokio::test]
async fn a_waiting_call_continues_after_its_approval() {
    let setup = kernel_with(|kernel| kernel).await;
    let mut host = mute(&setup).await;
    let call = host.send("tools/call", add(1)).await;
    let open = until_some(async || setup.kernel.confirmations().pending().await.unwrap().pop()).await;
    setup.kernel.confirmations().approve(&open.id, ApprovalTerm::Always, &operator()).await.unwrap();
    assert_eq!(host.answer_to(call).await["result"]["content"][0]["text"], "2");
    assert_eq!(confirmed(&setup), json!({"id": open.id, "by": "ann", "term": "always"}));
}

/// Connects a host whose user makes a choice.
async fn choosing(setup: &Setup, choice: &'static str) -> RawHost {
    let mut host = setup.raw_host(As::plain(Era::Initialize).can(all())).await;
    host.says(move |_, _| Ok(json!({"action": "accept", "content": {"decision": choice}})));
    host
}

fn offered(asked: &Value) -> Vec<&str> {
    let decision = &asked["requestedSchema"]["properties"]["decision"];
    let values = decision["enum"].as_array().unwrap();
    assert_eq!(values.len(), decision["enumNames"].as_array().unwrap().len());
    values.iter().map(|value| value.as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_elicited_approval_lasts_once_a_session_8_hours_or_forever() {
    for (choice, term) in [
        ("once", None),
        ("session", Some("for its session")),
        ("8h", Some("until ")),
        ("always", Some("always")),
    ] {
        let setup = kernel_with(|kernel| kernel).await;
        let mut host = choosing(&setup, choice).await;
        for _ in 0..2 {
            assert_eq!(host.ask("tools/call", add(1)).await["result"]["content"][0]["text"], "2");
        }
        assert_eq!(host.asked.len(), if choice == "once" { 2 } else { 1 }, "{choice}");
        assert_eq!(offered(&host.asked[0].1), ["once", "session", "8h", "always"]);
        let text = host.asked[0].1["message"].as_str().unwrap();
        for part in [
            r#"{"a":1,"b":1}"#,
            "agent \"agent.test\"",
            "once:",
            "session:",
            "8h:",
            "always:",
            "--revoke",
            "--like",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let how = confirmed(&setup);
        assert_eq!(how["by"], "host of agent.test");
        assert!(how["term"].as_str().unwrap().starts_with(term.unwrap_or("once")), "{how}");
        let rows = setup.kernel.confirmations().rows().await.unwrap();
        assert_eq!(rows.len(), usize::from(term.is_some()));
        if choice == "8h" {
            let end = rows[0].expires_at.unwrap().duration_since(jiff::Timestamp::now()).as_mins();
            assert!((478..=480).contains(&end), "{end}");
        }
        if choice == "session" {
            let mut other = choosing(&setup, "once").await;
            other.ask("tools/call", add(1)).await;
            assert_eq!(other.asked.len(), 1, "another session is asked anew");
        }
    }
}

#[tokio::test]
async fn a_call_without_a_session_is_offered_no_approval_for_one() {
    let setup = kernel_with(|kernel| kernel).await;
    let mut host = setup.raw_host(As::plain(Era::Stateless).can(all())).await;
    host.says(|_, _| Ok(json!({"action": "accept", "content": {"decision": "once"}})));
    assert_eq!(host.ask("tools/call", add(1)).await["result"]["content"][0]["text"], "2");
    assert_eq!(offered(&host.asked[0].1), ["once", "8h", "always"]);
}

#[tokio::test]
async fn a_capable_host_is_asked_for_the_permission_of_another_host() {
    let camera = Permission::from(StandardPermission::Camera);
    for choice in ["once", "always"] {
        let setup = start(|kernel, signals| {
            let mut spec = spec("test", signals);
            spec.confirmation = Some(Confirmation::Never);
            kernel.server(spec)
        })
        .await;
        let mut waiting = mute(&setup).await;
        let call = json!({"name": "secret", "arguments": {}});
        let first = waiting.send("tools/call", call.clone()).await;
        until_some(async || setup.kernel.permissions().pending().await.unwrap().pop()).await;
        let mut host = choosing(&setup, choice).await;
        assert_eq!(host.text("secret", json!({})).await, "a picture", "{choice}");
        assert_eq!(host.asked.len(), 1);
        if choice == "once" {
            let ann = Principal::operator("ann");
            setup.kernel.permissions().grant("test", &camera, &ann, None).await.unwrap();
        }
        assert_eq!(waiting.answer_to(first).await["result"]["content"][0]["text"], "a picture", "{choice}");
    }
}

#[tokio::test]
async fn an_elicited_permission_lasts_once_eight_hours_or_forever() {
    let camera = Permission::from(StandardPermission::Camera);
    for choice in ["once", "8h", "always"] {
        let setup = start(|kernel, signals| {
            let mut spec = spec("test", signals);
            spec.confirmation = Some(Confirmation::Never);
            kernel.server(spec)
        })
        .await;
        let mut host = choosing(&setup, choice).await;
        for _ in 0..2 {
            assert_eq!(host.text("secret", json!({})).await, "a picture");
        }
        assert_eq!(host.asked.len(), if choice == "once" { 2 } else { 1 }, "{choice}");
        assert_eq!(offered(&host.asked[0].1), ["once", "8h", "always"]);
        let text = host.asked[0].1["message"].as_str().unwrap();
        for part in [
            "camera",
            "once: only for this call",
            "8h: for 8 hours",
            "always: the same until `mgp approve perm-",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let state = setup.kernel.permissions().state("test", &camera);
        let held = if choice == "once" { PermissionState::Deferred } else { PermissionState::Approved };
        assert_eq!(state, held, "{choice}");
        let end = setup.kernel.permissions().rows().await.unwrap()[0].expires_at;
        assert_eq!(end.is_some(), choice == "8h");
    }
}

#[tokio::test]
async fn a_tool_that_always_asks_is_approved_only_once() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.confirmation = Some(Confirmation::Always);
        kernel.server(spec).approver(AskHost::or(Deny))
    })
    .await;
    let mut host = choosing(&setup, "always").await;
    host.refused("tools/call", add(1)).await;
    assert_eq!(offered(&host.asked[0].1), ["once"]);
    let mut host = choosing(&setup, "once").await;
    assert_eq!(host.ask("tools/call", add(1)).await["result"]["content"][0]["text"], "2");
}

#[tokio::test]
async fn a_host_cannot_approve_a_truncated_text() {
    let setup = kernel_with(|kernel| kernel.approver(AskHost::or(Deny))).await;
    let mut host = choosing(&setup, "always").await;
    let long: String = (0..3000).map(|i| format!("{i},")).collect();
    let params = json!({"name": "run_shell", "arguments": {"command": format!("echo {long}; rm -rf /")}});
    let refused = host.refused("tools/call", params.clone()).await;
    let asked = host.asked[0].1["message"].as_str().unwrap();
    assert!(asked.contains("{\"command\":\"echo 0,1,2,") && asked.contains("; rm -rf /\"}"), "{asked}");
    let id = question(&setup).await.id;
    assert!(asked.contains(&format!("`mgp approve {id} --show`")), "{asked}");
    assert_eq!(offered(&host.asked[0].1), ["later"]);
    assert!(refused["message"].as_str().unwrap().contains(&format!("`mgp approve {id}`")), "{refused}");
    let calls =
        ["dev.cloto.mgp.APPROVAL_NEEDED SUCCESS test.run_shell", "TOOL_BLOCKED BLOCKED test.run_shell"];
    assert_eq!(setup.calls(), calls);
    assert_eq!(
        setup.kernel.confirmations().pending().await.unwrap()[0].arguments.as_str().len(),
        params["arguments"].to_string().len()
    );
}

#[tokio::test]
async fn a_host_that_can_be_asked_is_asked_with_full_storage() {
    let setup = kernel_with(|kernel| kernel.approver(AskHost::or(Deny))).await;
    let mut silent = mute(&setup).await;
    for a in 0..32 {
        silent.refused("tools/call", add(a)).await;
    }
    let refused = silent.refused("tools/call", add(32)).await;
    assert!(refused["message"].as_str().unwrap().contains("32 calls of agent"), "{refused}");
    let mut host = choosing(&setup, "once").await;
    assert_eq!(host.ask("tools/call", add(32)).await["result"]["content"][0]["text"], "33");
    assert_eq!(offered(&host.asked[0].1), ["once"]);
    let text = host.asked[0].1["message"].as_str().unwrap();
    assert!(text.contains("once: only this call") && !text.contains("mgp approve"), "{text}");
    assert_eq!(confirmed(&setup)["by"], "host of agent.test");

    let long: String = (0..3000).map(|i| format!("{i},")).collect();
    let params = json!({"name": "run_shell", "arguments": {"command": format!("echo {long}")}});
    host.refused("tools/call", params).await;
    let text = host.asked[1].1["message"].as_str().unwrap();
    assert!(text.contains("`mgp approve` shows them") && !text.contains("conf-"), "{text}");
    assert_eq!(offered(&host.asked[1].1), ["later"]);
    assert_eq!(setup.kernel.confirmations().pending().await.unwrap().len(), 32);
}

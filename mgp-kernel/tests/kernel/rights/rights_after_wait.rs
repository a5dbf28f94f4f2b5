//! Rights that change while a call waits for its confirmation: the call is judged by what holds when it leaves.

use crate::{
    raw_server::{RawServer, result, says, text},
    support::{Setup, code, idle, json, number, rule, spec, start, until, within},
};
use futures_util::future::BoxFuture;
use mgp_client_sdk::client::Client;
use mgp_kernel::Era;
use mgp_security::{
    definition::{DefinitionText, Occasion, OnChange},
    profile::Confirmation,
};
use mgp_transport::{
    connection::Config,
    memory,
    seam::{BoxError, CallError, Incoming, Reply},
};
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    context::{Principal, ToolId},
    error::ErrorCode,
    json::RawJson,
    mcp::{CallToolResult, ClientCapabilities},
    permission::{Permission, StandardPermission},
};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use tower::service_fn;

/// Connects a host whose user says yes to whatever is asked, after something has changed. The number counts the questions.
async fn host_whose_user_answers_after<F>(setup: &Setup, change: F) -> (Client, Arc<AtomicUsize>)
where
    F: Fn() -> BoxFuture<'static, ()> + Clone + Send + Sync + 'static,
{
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let user = service_fn(move |message: Incoming| {
        let (change, count) = (change.clone(), count.clone());
        async move {
            if message.method != "elicitation/create" {
                return Ok::<_, BoxError>(Reply::none());
            }
            count.fetch_add(1, Ordering::SeqCst);
            change().await;
            Ok(Reply::ok(json(r#"{"action":"accept","content":{"decision":"once"}}"#)))
        }
    });
    let (here, there) = memory::pair();
    let principal = Principal::agent("agent.test");
    let connection = setup.kernel.face().serve(principal, Config::default(), there.0, there.1);
    tokio::spawn(connection.closed());
    let host = Client::builder("asks its user", "1.0.0")
        .capabilities(ClientCapabilities::default().with("elicitation"))
        .service(user)
        .connect(here.0, here.1)
        .await
        .unwrap();
    (host, asked)
}

/// Calls a tool at a host whose user confirms it after something has changed.
async fn confirmed_after<F>(
    setup: &Setup,
    tool: &str,
    arguments: &str,
    change: F,
) -> Result<CallToolResult, CallError>
where
    F: Fn() -> BoxFuture<'static, ()> + Clone + Send + Sync + 'static,
{
    let (host, asked) = host_whose_user_answers_after(setup, change).await;
    let answer = within(host.call_tool(tool, json(arguments))).await;
    assert_eq!(asked.load(Ordering::SeqCst), 1, "its user is asked once");
    answer
}

/// A kernel that asks before each call, and lets in who has a rule.
async fn asking() -> Setup {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.default_policy = DefaultPolicy::OptIn;
        spec.confirmation = Some(Confirmation::Always);
        kernel.server(spec)
    })
    .await;
    setup.kernel.access().put(rule("test", None, AccessDecision::Allow)).await.unwrap();
    setup
}

#[tokio::test]
async fn a_call_whose_agent_lost_its_grant_while_waiting_is_not_sent() {
    let setup = asking().await;
    let access = setup.kernel.access().clone();
    let revoke = move || -> BoxFuture<'static, ()> {
        let access = access.clone();
        Box::pin(async move { access.put(rule("test", Some("add"), AccessDecision::Deny)).await.unwrap() })
    };
    let refused = confirmed_after(&setup, "add", r#"{"a":1,"b":1}"#, revoke).await.unwrap_err();
    assert_eq!(code(&refused), number(ErrorCode::AccessDenied));
    let calls = ["dev.cloto.mgp.APPROVAL_NEEDED SUCCESS test.add", "TOOL_BLOCKED BLOCKED test.add"];
    assert_eq!(setup.calls(), calls);
}

#[tokio::test]
async fn a_call_whose_permission_was_revoked_meanwhile_is_not_sent() {
    let setup = asking().await;
    let (permissions, operator) = (setup.kernel.permissions().clone(), Principal::operator("root"));
    let camera = Permission::from(StandardPermission::Camera);
    permissions.grant("test", &camera, &operator, None).await.unwrap();
    let revoke = move || -> BoxFuture<'static, ()> {
        let (permissions, operator, camera) = (permissions.clone(), operator.clone(), camera.clone());
        Box::pin(async move { drop(permissions.revoke("test", &camera, &operator).await.unwrap()) })
    };
    let refused = confirmed_after(&setup, "secret", "{}", revoke).await.unwrap_err();
    assert_eq!(code(&refused), number(ErrorCode::PermissionDenied));
    assert!(refused.to_string().contains("camera"), "{refused}");
    // The call passed the gates once, and was judged again where it would have left.
    let calls = [
        "dev.cloto.mgp.APPROVAL_NEEDED SUCCESS test.secret",
        "dev.cloto.mgp.TOOL_DISPATCHED SUCCESS test.secret",
        "TOOL_BLOCKED BLOCKED test.secret",
    ];
    assert_eq!(setup.calls(), calls);
}

#[tokio::test]
async fn a_call_whose_tool_was_withheld_while_waiting_is_not_sent() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        (spec.confirmation, spec.on_change) = (Some(Confirmation::Always), Some(OnChange::Hold));
        kernel.server(spec)
    })
    .await;
    let (pins, operator) = (setup.kernel.definitions().clone(), Principal::operator("root"));
    // Another kernel's server lists another definition, which an operator accepts in the place of this one.
    let accept = move || -> BoxFuture<'static, ()> {
        let (pins, operator) = (pins.clone(), operator.clone());
        Box::pin(async move {
            let other = json(r#"{"name":"add","description":"Other","inputSchema":{"type":"object"}}"#);
            let listed = [("add", DefinitionText::of(&other).hash, &other)];
            pins.observe("test", OnChange::Hold, Occasion::Listing, listed).await.1.unwrap();
            pins.accept(&ToolId::new("test", "add"), &operator).await.unwrap();
        })
    };
    let refused = confirmed_after(&setup, "add", r#"{"a":1,"b":1}"#, accept).await.unwrap_err();
    assert_eq!(code(&refused), number(ErrorCode::PermissionDenied));
    assert!(refused.to_string().contains("`mgp tools diff test add`"), "{refused}");
    assert_eq!(setup.calls().last().unwrap(), "TOOL_BLOCKED BLOCKED test.add");
}

#[tokio::test]
async fn a_confirmed_call_is_sent_if_nothing_changed() {
    let setup = asking().await;
    let nothing = || -> BoxFuture<'static, ()> { Box::pin(async {}) };
    let answer = confirmed_after(&setup, "add", r#"{"a":1,"b":1}"#, nothing).await.unwrap();
    assert_eq!(answer.content[0].as_text(), Some("2"));
    let calls = ["dev.cloto.mgp.APPROVAL_NEEDED SUCCESS test.add", "TOOL_EXECUTED SUCCESS test.add"];
    assert_eq!(setup.calls(), calls);
}

/// A server whose one tool is defined anew, or is gone, once it says so.
fn changing(after: Value) -> (RawServer, Arc<AtomicBool>) {
    let changed = Arc::new(AtomicBool::new(false));
    let is_changed = changed.clone();
    let capabilities = json!({"tools": {"listChanged": true}});
    let server = RawServer::new(Era::Initialize, capabilities, move |message| {
        let before =
            json!([{"name": "work", "description": "Shows a file", "inputSchema": {"type": "object"}}]);
        match message["method"].as_str() {
            Some("tools/list") => {
                let tools = if is_changed.load(Ordering::SeqCst) { &after } else { &before };
                Some(vec![result(message, json!({ "tools": tools }))])
            }
            Some("tools/call") => Some(vec![text(message, "done")]),
            _ => None,
        }
    });
    (server, changed)
}

#[tokio::test]
async fn a_call_of_a_tool_that_changed_while_waiting_is_not_sent() {
    let schema = json!({"type": "object"});
    for after in [
        json!([{"name": "work", "description": "Deletes a file", "inputSchema": schema}, {"name": "other", "inputSchema": schema}]),
        json!([{"name": "other", "inputSchema": schema}]),
    ] {
        let (server, changed) = changing(after);
        let mut spec = server.spec("srv");
        spec.confirmation = Some(Confirmation::Always);
        let setup = start(|kernel, _| kernel.server(spec)).await;
        let (kernel, said) = (setup.kernel.clone(), server.clone());
        let lists_anew = move || -> BoxFuture<'static, ()> {
            let (kernel, said, changed) = (kernel.clone(), said.clone(), changed.clone());
            Box::pin(async move {
                changed.store(true, Ordering::SeqCst);
                said.say(says(None, "notifications/tools/list_changed", json!({})));
                until(|| kernel.registry()[0].tools.iter().any(|tool| &**tool == "other")).await;
            })
        };
        let refused = confirmed_after(&setup, "work", "{}", lists_anew).await.unwrap_err();
        assert_eq!(code(&refused), number(ErrorCode::PermissionDenied));
        assert!(refused.to_string().contains("changed while its call waited"), "{refused}");
        let blocked: Vec<String> =
            setup.calls().into_iter().filter(|event| event.starts_with("TOOL_")).collect();
        assert_eq!(blocked, ["TOOL_BLOCKED BLOCKED srv.work"]);
        assert_eq!(server.read_of("tools/call"), [] as [Value; 0]);
    }
}

/// Calls `add` while the server's only place is taken, and gives it the place once something has changed.
async fn had_its_turn_after(setup: &Setup, change: BoxFuture<'_, ()>) -> Result<RawJson, CallError> {
    let host = setup.host().await;
    let running = host.start_tool("hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    let waiting = host.start_tool("add", json(r#"{"a":1,"b":1}"#)).await.unwrap();
    // It has passed the gates and waits at the server.
    idle().await;
    change.await;
    drop(running);
    within(waiting.reply()).await
}

/// A kernel whose server works on one call at once.
async fn narrow() -> Setup {
    start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.max_concurrent = 1;
        kernel.server(spec)
    })
    .await
}

#[tokio::test]
async fn a_queued_call_whose_agent_lost_its_grant_is_not_sent() {
    let setup = narrow().await;
    let revoke =
        async { setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Deny)).await.unwrap() };
    let refused = had_its_turn_after(&setup, Box::pin(revoke)).await.unwrap_err();
    assert_eq!(code(&refused), number(ErrorCode::AccessDenied));
    let recorded = setup.calls_recorded(2).await;
    assert!(recorded.contains(&"TOOL_BLOCKED BLOCKED test.add".to_owned()), "{recorded:?}");
}

#[tokio::test]
async fn a_queued_call_is_sent_if_nothing_changed() {
    let setup = narrow().await;
    let answer = had_its_turn_after(&setup, Box::pin(async {})).await.unwrap();
    assert!(answer.as_str().contains(r#""text":"2""#), "{answer:?}");
}

/// A server that asks its host's user before it answers a call or gives a prompt.
fn asking_server() -> RawServer {
    RawServer::new(Era::Stateless, json!({"tools": {}, "prompts": {}}), |message| {
        let question = json!({"message": "Sure?", "requestedSchema": {"type": "object", "properties": {}}});
        let asked = json!({"resultType": "input_required", "requestState": "s",
            "inputRequests": {"key": {"method": "elicitation/create", "params": question}}});
        let is_answered = message["params"].get("inputResponses").is_some();
        match message["method"].as_str()? {
            "tools/call" | "prompts/get" if !is_answered => Some(vec![result(message, asked)]),
            "tools/call" => Some(vec![text(message, "done")]),
            "prompts/get" => Some(vec![result(message, json!({"resultType": "complete", "messages": []}))]),
            "prompts/list" => {
                let listed = json!({"prompts": [{"name": "p"}], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
                Some(vec![result(message, listed)])
            }
            _ => None,
        }
    })
}

#[tokio::test]
async fn a_call_with_questions_ends_if_its_agent_lost_its_rights() {
    for (method, revokes) in
        [("tools/call", false), ("tools/call", true), ("prompts/get", false), ("prompts/get", true)]
    {
        let server = asking_server();
        let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
        let access = setup.kernel.access().clone();
        access.put(rule("srv", None, AccessDecision::Allow)).await.unwrap();
        let change = move || -> BoxFuture<'static, ()> {
            let access = access.clone();
            Box::pin(async move {
                if revokes {
                    access.put(rule("srv", None, AccessDecision::Deny)).await.unwrap();
                }
            })
        };
        let (host, asked) = host_whose_user_answers_after(&setup, change).await;
        let refused = if method == "tools/call" {
            within(host.call_tool("work", json("{}"))).await.err()
        } else {
            within(host.get_prompt("p", ())).await.err()
        };
        assert_eq!(asked.load(Ordering::SeqCst), 1, "its user is asked: {refused:?}");
        let expected = revokes.then(|| number(ErrorCode::AccessDenied));
        assert_eq!(refused.as_ref().map(code), expected, "{method}: {refused:?}");
        assert_eq!(server.read_of(method).len(), if revokes { 1 } else { 2 });
    }
}

//! §3.5, §3.6: what a server is told of its permissions.

use crate::{
    raw_host::{As, ERAS},
    raw_server::{RawServer, result, says},
    support::{Setup, idle, json as parsed, start, until, until_some, within},
};
use jiff::{Timestamp, ToSpan};
use mgp_discovery::config::PermissionsConfig;
use mgp_kernel::{Endpoint, Era, InProcess, ServerSpec};
use mgp_server_sdk::{Server, Tool, permission::Grants};
use mgp_transport::{
    connection::{Config, Connection},
    memory,
    seam::{BoxError, Incoming, Peer, Reply},
};
use mgp_types::{
    access::DefaultPolicy,
    audit::AuditEventType,
    context::Principal,
    json::{RawJson, RawObject},
    negotiation::MGP_VERSION,
    permission::{GrantScope, Permission, PermissionPolicy, StandardPermission},
};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

const TOOLS: &str = r#"{"tools":[{"name":"snap","inputSchema":{"type":"object"},"security":{"risk_level":"moderate","permissions_required":["camera"]}}]}"#;

/// A server whose tool needs the camera. Says whom it is connected to, and what it hears.
fn camera(peers: UnboundedSender<Peer>, heard: UnboundedSender<(String, RawObject)>) -> ServerSpec {
    server(TOOLS.to_owned(), peers, heard)
}

/// A tool that the servers list from the second time on.
const OTHER: &str = r#"{"tools":[{"name":"other","inputSchema":{"type":"object"}},"#;

/// A server with these tools, and later with [`OTHER`], which answers a request for permissions only if its tool needs the camera alone.
fn server(
    tools: String,
    peers: UnboundedSender<Peer>,
    heard: UnboundedSender<(String, RawObject)>,
) -> ServerSpec {
    let listed = Arc::new(AtomicBool::new(false));
    let endpoint = InProcess::new(move || {
        let (here, there) = memory::pair();
        let (heard, tools, listed) = (heard.clone(), tools.clone(), listed.clone());
        let service = tower::service_fn(move |message: Incoming| {
            let (heard, tools, listed) = (heard.clone(), tools.clone(), listed.clone());
            async move {
                let answer = match &*message.method {
                    "initialize" => format!(
                        r#"{{"protocolVersion":"2025-06-18","capabilities":{{"tools":{{"listChanged":true}},"mgp":{{"version":"{MGP_VERSION}","extensions":["security"]}}}},"serverInfo":{{"name":"camera","version":"1"}}}}"#
                    ),
                    "tools/list" if listed.swap(true, Ordering::Relaxed) => {
                        tools.replace("{\"tools\":[", OTHER)
                    }
                    "tools/list" => tools.clone(),
                    _ => "{}".to_owned(),
                };
                heard.send((message.method.to_string(), message.params.object()?.clone()))?;
                if *message.method == *"mgp/permission/request" && tools != TOOLS {
                    std::future::pending::<()>().await;
                }
                Ok::<_, BoxError>(if message.is_notification() {
                    Reply::none()
                } else {
                    Reply::ok(RawJson::parse(answer)?)
                })
            }
        });
        let connection = Connection::builder(service).config(Config::default()).over(there.0, there.1);
        peers.send(connection.peer().clone()).unwrap();
        tokio::spawn(connection.closed());
        here
    });
    ServerSpec::new("camera", Endpoint::InProcess(endpoint))
}

/// Announces a change of the tools, and waits until the kernel has listed them again and every task is waiting.
async fn change_tools(setup: &Setup, peer: &Peer) {
    peer.notify("notifications/tools/list_changed", parsed("{}")).await.unwrap();
    until(|| setup.kernel.registry()[0].tools.len() == 2).await;
    idle().await;
}

/// The next message by this method.
async fn next(heard: &mut UnboundedReceiver<(String, RawObject)>, method: &str) -> RawObject {
    within(async {
        loop {
            let (heard, params) = heard.recv().await.unwrap();
            if heard == method {
                return params;
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_server_is_notified_once_of_requests_and_decisions() {
    let (peers, mut connected) = unbounded_channel();
    let (hears, mut heard) = unbounded_channel();
    let setup = start(|kernel, _| kernel.server(camera(peers, hears))).await;
    let peer = connected.recv().await.unwrap();

    let asked = next(&mut heard, "mgp/permission/request").await;
    assert_eq!(asked.get("permissions"), Some(&parsed(r#"["camera"]"#)));
    let camera: Permission = "camera".parse().unwrap();
    setup.kernel.permissions().grant("camera", &camera, &Principal::operator("ann"), None).await.unwrap();
    let told = next(&mut heard, "mgp/permission/response").await;
    assert_eq!(told.get("grants"), Some(&parsed(r#"{"camera":"approved"}"#)));
    assert_eq!(told.get("request_id"), asked.get("request_id"));

    change_tools(&setup, &peer).await;
    next(&mut heard, "tools/list").await;
    let mut more: Vec<_> = std::iter::from_fn(|| heard.try_recv().ok()).collect();
    more.retain(|(method, _)| method != "ping");
    assert!(more.is_empty(), "{more:?}");
}

#[tokio::test]
async fn only_a_server_with_permissions_is_asked_to_wait_for_them() {
    let cases = [("permissions", true), ("lifecycle", false)];
    for ((extension, is_asked), era) in cases.into_iter().flat_map(|case| ERAS.map(|era| (case, era))) {
        let mgp =
            json!({"version": MGP_VERSION, "extensions": [extension], "permissions_required": ["camera"]});
        let capabilities = match era {
            Era::Initialize => json!({"tools": {}, "mgp": mgp}),
            Era::Stateless => json!({"tools": {}, "extensions": {"dev.cloto/mgp": mgp}}),
        };
        let raw = RawServer::new(era, capabilities, |message| {
            let asked = message["method"] == "mgp/permission/request";
            let acknowledged =
                || json!({"request_id": message["params"]["request_id"], "acknowledged": true});
            asked.then(|| vec![result(message, acknowledged())])
        });
        let setup = start(|kernel, _| kernel.server(raw.spec("camera"))).await;
        // The tool needs what its server needs, whatever the server is told.
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        assert!(!host.get("tools/list", json!({})).await.to_string().contains("\"work\""));
        if is_asked {
            let asked = raw.has_read("mgp/permission/request", 1).await.remove(0)["params"].take();
            assert_eq!(
                (&asked["permissions"], &asked["policy"], asked["message"].is_string()),
                (&json!(["camera"]), &json!("interactive"), true),
                "{asked}"
            );
            let pending = setup.kernel.permissions().pending().await.unwrap();
            assert_eq!(asked["request_id"], pending[0].request_id);
        } else {
            idle().await;
        }
        let read = raw.read();
        let place = |method: &str| read.iter().position(|message| message["method"] == method);
        let after = place("mgp/permission/request");
        assert_eq!(after.is_some(), is_asked, "{extension} {era:?}");
        if era == Era::Initialize {
            let greeted = place("notifications/initialized").unwrap();
            assert!(after.is_none_or(|after| greeted < after), "{read:?}");
        }
    }
}

#[tokio::test]
async fn a_request_waits_for_an_operator_unless_a_policy_decides() {
    let policy = |policy| PermissionsConfig { policy: Some(policy), ..PermissionsConfig::default() };
    let excepted =
        PermissionsConfig { exceptions: vec!["camera".into()], ..policy(PermissionPolicy::AutoApprove) };
    for permissions in [policy(PermissionPolicy::Interactive), excepted] {
        let (peers, _connected) = unbounded_channel();
        let (hears, mut heard) = unbounded_channel();
        let _setup = start(|kernel, _| {
            kernel.server(camera(peers, hears)).config(|config| config.permissions = permissions)
        })
        .await;
        let asked = next(&mut heard, "mgp/permission/request").await;
        assert_eq!(asked.text("policy").as_deref(), Some("interactive"));
        assert_eq!(asked.text("message").as_deref(), Some("waiting for an operator"));
    }
    for (decides, value, by, event_type) in [
        (PermissionPolicy::AutoApprove, "approved", Some("auto_approve"), AuditEventType::PermissionGranted),
        (PermissionPolicy::DenyAll, "denied", None, AuditEventType::PermissionDenied),
        (PermissionPolicy::ConfigOnly, "denied", None, AuditEventType::PermissionDenied),
    ] {
        let (peers, _connected) = unbounded_channel();
        let (hears, mut heard) = unbounded_channel();
        let server = camera(peers, hears);
        let setup =
            start(|kernel, _| kernel.server(server).config(|config| config.permissions = policy(decides)))
                .await;
        let told = within(async {
            loop {
                let (method, params) = heard.recv().await.unwrap();
                assert_ne!(method, "mgp/permission/request", "{decides}: nobody is waited for");
                if method == "mgp/permission/response" {
                    return params;
                }
            }
        })
        .await;
        let expected = json!({ "camera": value }).to_string();
        assert_eq!(told.get("grants"), Some(&parsed(&expected)), "{decides}");
        assert_eq!(told.text("approved_by").as_deref(), by, "{decides}");
        let mut events = setup.sink.events();
        events.retain(|event| event.event_type == event_type);
        assert_eq!(events.len(), 1, "{decides}: {events:?}");
        assert_eq!(events[0].details.as_ref().unwrap().text("policy").as_deref(), Some(decides.as_str()));
    }
}

#[tokio::test]
async fn grants_in_a_server_s_messages_open_no_tool() {
    let grants = json!({"request_id": "perm-1", "grants": {"camera": "approved"}, "approved_by": "ann"});
    let mut mgp =
        json!({"version": MGP_VERSION, "extensions": ["permissions"], "permissions_required": ["camera"]});
    mgp["grants"] = grants["grants"].clone();
    let given = grants.clone();
    let raw = RawServer::new(Era::Initialize, json!({"tools": {}, "mgp": mgp}), move |message| {
        let asked = message["method"].as_str().is_some_and(|method| method.starts_with("mgp/permission/"));
        asked.then(|| vec![result(message, given.clone())])
    });
    let setup =
        start(|kernel, _| kernel.server(raw.spec("camera")).config(|config| config.permissions.wait_ms = 1))
            .await;
    raw.has_read("mgp/permission/request", 1).await;
    for (id, method) in [(90, "mgp/permission/response"), (91, "mgp/permission/grant")] {
        raw.say(says(Some(id), method, grants.clone()));
        let answer = raw.reads(|message| message["id"] == id && message.get("method").is_none(), 1).await;
        assert_eq!(answer[0]["error"]["code"], -32601, "{}", answer[0]);
        raw.say(says(None, method, grants.clone()));
    }
    idle().await;
    let mut host = setup.raw_host(As::unasked()).await;
    let refused = host.refused("tools/call", json!({"name": "work", "arguments": {}})).await;
    assert_eq!(refused["code"], 1000, "{refused}");
    assert_eq!(raw.read_of("tools/call"), [] as [serde_json::Value; 0]);
}

#[tokio::test]
async fn a_server_is_notified_of_the_limits_of_an_approval() {
    let (peers, _connected) = unbounded_channel();
    let (hears, mut heard) = unbounded_channel();
    let tools = TOOLS.replace("[\"camera\"]", "[\"camera\",\"filesystem.read\"]");
    let setup = start(|kernel, _| kernel.server(server(tools, peers, hears))).await;
    next(&mut heard, "mgp/permission/request").await;
    let (read, ann) = (StandardPermission::FilesystemRead.into(), Principal::operator("ann"));
    let permissions = setup.kernel.permissions();
    for paths in [vec!["/srv".to_owned()], vec!["/srv".to_owned(), "/opt".to_owned()]] {
        let scope = GrantScope::Paths(paths);
        let expected = serde_json::json!({ "filesystem.read": scope }).to_string();
        permissions.grant_within("camera", &read, &ann, None, Some(scope)).await.unwrap();
        let told = next(&mut heard, "mgp/permission/response").await;
        assert_eq!(told.get("grants"), Some(&parsed(r#"{"filesystem.read":"approved"}"#)));
        assert_eq!(told.get("scope"), Some(&parsed(&expected)));
    }
    permissions.grant("camera", &read, &ann, None).await.unwrap();
    assert_eq!(next(&mut heard, "mgp/permission/response").await.get("scope"), None);
}

#[tokio::test]
async fn a_server_is_notified_of_an_approval_its_author_and_its_end() {
    let (peers, _connected) = unbounded_channel();
    let (hears, mut heard) = unbounded_channel();
    let setup = start(|kernel, _| kernel.server(camera(peers, hears))).await;
    next(&mut heard, "mgp/permission/request").await;
    let (camera, ann): (Permission, _) = ("camera".parse().unwrap(), Principal::operator("ann"));
    let permissions = setup.kernel.permissions();
    let approved = parsed(r#"{"camera":"approved"}"#);

    let end = Timestamp::from_second(Timestamp::now().as_second() + 3600).unwrap();
    permissions.grant("camera", &camera, &ann, Some(end)).await.unwrap();
    let told = next(&mut heard, "mgp/permission/response").await;
    assert_eq!(told.get("grants"), Some(&approved));
    assert_eq!(
        (told.text("approved_by"), told.text("expires_at")),
        (Some("ann".into()), Some(end.to_string()))
    );
    // The end is told at once, although nobody calls the tool, and the permission is asked for again.
    until_some(async || {
        let end = Timestamp::now().checked_add(300.milliseconds()).unwrap();
        permissions.grant("camera", &camera, &ann, Some(end)).await.ok()
    })
    .await;
    let deferred = parsed(r#"{"camera":"deferred"}"#);
    let (mut is_told, mut is_asked) = (false, false);
    within(async {
        while !(is_told && is_asked) {
            let (method, params) = heard.recv().await.unwrap();
            is_told |= method == "mgp/permission/response" && params.get("grants") == Some(&deferred);
            is_asked |= method == "mgp/permission/request";
        }
    })
    .await;
    let mut events = setup.sink.events();
    events.retain(|event| event.event_type == AuditEventType::PermissionRevoked);
    let ended = events.pop().unwrap();
    assert_eq!(ended.details.unwrap().text("reason").as_deref(), Some("expired"));

    permissions.grant("camera", &camera, &ann, None).await.unwrap();
    assert_eq!(next(&mut heard, "mgp/permission/response").await.get("grants"), Some(&approved));
    permissions.revoke("camera", &camera, &ann).await.unwrap();
    let told = next(&mut heard, "mgp/permission/response").await;
    assert_eq!(told.get("grants"), Some(&deferred));
    permissions.deny("camera", &camera, &ann).await.unwrap();
    let told = next(&mut heard, "mgp/permission/response").await;
    assert_eq!(told.get("grants"), Some(&parsed(r#"{"camera":"denied"}"#)));
}

#[tokio::test]
async fn each_decision_is_announced_while_others_are_pending() {
    let (peers, mut connected) = unbounded_channel();
    let (hears, mut heard) = unbounded_channel();
    let tools = TOOLS.replace(r#"["camera"]"#, r#"["camera","notification","system.info"]"#);
    let mut spec = server(tools, peers, hears);
    spec.approved = vec!["system.info".to_owned()];
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let peer = connected.recv().await.unwrap();
    let (camera, ann): (Permission, _) = ("camera".parse().unwrap(), Principal::operator("ann"));
    let permissions = setup.kernel.permissions();

    let mut news = async || {
        within(async {
            loop {
                let (method, params) = heard.recv().await.unwrap();
                if let Some(news) = method.strip_prefix("mgp/permission/") {
                    return (news.to_owned(), params);
                }
            }
        })
        .await
    };
    // A request and a decision are sent side by side.
    let [(asked, request), (told, decision)] = sorted([news().await, news().await]);
    assert_eq!((&*asked, &*told), ("request", "response"));
    assert_eq!(request.get("permissions"), Some(&parsed(r#"["camera","notification"]"#)));
    assert_eq!(decision.get("grants"), Some(&parsed(r#"{"system.info":"approved"}"#)));
    let by = |decision: &RawObject| (decision.text("approved_by"), decision.text("expires_at"));
    assert_eq!(by(&decision), (Some("configuration".to_owned()), None));

    // A list that comes again asks for nothing again.
    change_tools(&setup, &peer).await;
    permissions.grant("camera", &camera, &ann, None).await.unwrap();
    let [(asked, request), (told, decision)] = sorted([news().await, news().await]);
    assert_eq!((&*asked, &*told), ("request", "response"));
    assert_eq!(request.get("permissions"), Some(&parsed(r#"["notification"]"#)));
    assert_eq!(decision.get("grants"), Some(&parsed(r#"{"camera":"approved"}"#)));
    assert_eq!(by(&decision), (Some("ann".to_owned()), None));
}

/// Sorts news by their methods.
fn sorted(mut news: [(String, RawObject); 2]) -> [(String, RawObject); 2] {
    news.sort_by(|(one, _), (other, _)| one.cmp(other));
    news
}

#[tokio::test]
async fn an_sdk_server_sees_its_grants_and_does_less_without_them() {
    async fn snap(grants: Grants) -> &'static str {
        if grants.has(StandardPermission::Camera) { "a picture" } else { "a description" }
    }
    // The server wants the camera, and its tool can do without.
    let tool = Tool::new("snap", "Shows the room", snap).permissions(["system.info"]);
    let stack = Server::new("camera", "1").permissions_required(["camera"]).tool(tool).build().unwrap();
    let endpoint = Endpoint::InProcess(InProcess::new(move || stack.in_process()));
    let mut spec = ServerSpec::new("camera", endpoint);
    (spec.default_policy, spec.approved) = (DefaultPolicy::OptOut, vec!["system.info".to_owned()]);
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    assert_eq!(host.text("snap", json!({})).await, "a description");
    let (camera, ann) = (StandardPermission::Camera.into(), Principal::operator("ann"));
    setup.kernel.permissions().grant("camera", &camera, &ann, None).await.unwrap();
    let mut shows = async |expected: &str| {
        until_some(async || (host.text("snap", json!({})).await == expected).then_some(())).await;
    };
    shows("a picture").await;
    setup.kernel.permissions().revoke("camera", &camera, &ann).await.unwrap();
    shows("a description").await;
}

#[tokio::test]
async fn a_server_of_a_later_draft_gets_the_later_names() {
    for (version, asked, decided) in [
        ("0.3.0", "mgp/permission/request", "mgp/permission/response"),
        ("0.4.0", "mgp/permission/await", "mgp/permission/grant"),
        ("0.6.2", "mgp/permission/await", "mgp/permission/grant"),
    ] {
        let mgp = json!({"version": version, "extensions": ["security"], "permissions_required": ["camera"]});
        let raw = RawServer::new(Era::Initialize, json!({"tools": {}, "mgp": mgp}), |message| {
            let is_about =
                message["method"].as_str().is_some_and(|method| method.starts_with("mgp/permission/"));
            is_about.then(|| vec![result(message, json!({"request_id": "x", "acknowledged": true}))])
        });
        let setup = start(|kernel, _| kernel.server(raw.spec("camera"))).await;
        raw.has_read(asked, 1).await;
        let camera = StandardPermission::Camera.into();
        setup.kernel.permissions().grant("camera", &camera, &Principal::operator("ann"), None).await.unwrap();
        raw.has_read(decided, 1).await;
        let other = if version == "0.3.0" { "mgp/permission/grant" } else { "mgp/permission/response" };
        assert_eq!(raw.read_of(other), [] as [serde_json::Value; 0], "{version}");
    }
}

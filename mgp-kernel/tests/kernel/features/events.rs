//! §13.2, §13.3, §13.5 Events of servers and of the kernel, to hosts of both eras.

use crate::{
    exchange::result_secrets::token,
    raw_host::{As, ERAS, RawHost},
    raw_server::{RawServer, result, says, text},
    support::{self, Setup, agents, server_rule, start, within},
};
use mgp_kernel::{Endpoint, Era, EraChoice, InProcess, ServerSpec};
use mgp_security::results::SecretPolicy;
use mgp_server_sdk::{Server, ServerStack, Tool, events::Events};
use mgp_types::{
    access::DefaultPolicy,
    context::Principal,
    lifecycle::{RestartConfig, RestartPolicy},
};
use serde_json::{Value, json};

pub(crate) const EVENT: &str = "notifications/mgp.event";
const LOG: &str = "notifications/message";
pub(crate) const SUBSCRIBE: &str = "mgp/events/subscribe";
pub(crate) const UNSUBSCRIBE: &str = "mgp/events/unsubscribe";

/// A server with two channels, and the handle that publishes in them.
fn builder() -> (ServerStack, Events) {
    let stack = Server::new("own name", "1")
        .channel("build.started")
        .channel("build.finished")
        .tool(Tool::new("work", "Works", async || "done"))
        .build()
        .unwrap();
    let events = stack.events().unwrap();
    (stack, events)
}

fn spec(id: &str, stack: ServerStack) -> ServerSpec {
    let mut spec = ServerSpec::new(id, Endpoint::InProcess(InProcess::new(move || stack.in_process())));
    spec.default_policy = DefaultPolicy::OptOut;
    spec
}

/// Starts a kernel in front of one server with channels.
async fn kernel() -> (Setup, Events) {
    let (stack, events) = builder();
    (kernel_of(spec("srv", stack)).await, events)
}

/// Starts a kernel in front of one server that the agent of the tests may use as a whole.
pub(crate) async fn kernel_of(spec: ServerSpec) -> Setup {
    let setup = start(|kernel, _| kernel.server(spec)).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    setup
}

pub(crate) fn operator() -> As {
    As { principal: Principal::operator("root"), ..As::mgp(Era::Initialize) }
}

/// Subscribes a host in its era, and returns the channels that there are.
pub(crate) async fn subscribe(host: &mut RawHost, era: Era, params: Value) -> Vec<String> {
    let channels = match era {
        Era::Initialize => host.get(SUBSCRIBE, params).await["subscribed"].take(),
        Era::Stateless => {
            let filter = json!({"notifications": {"dev.cloto/mgp": {"events": params}}});
            host.send("subscriptions/listen", filter).await;
            let told = host.hear("notifications/subscriptions/acknowledged").await;
            told["params"]["notifications"]["dev.cloto/mgp"]["events"]["channels"].clone()
        }
    };
    serde_json::from_value(channels).unwrap_or_default()
}

/// Reads the next event, as its channel, server, data and number.
pub(crate) async fn hear(host: &mut RawHost) -> (String, String, Value, u64) {
    let event = host.hear(EVENT).await["params"].take();
    let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
    (text("channel"), text("server_id"), event["data"].clone(), event["_mgp"]["seq"].as_u64().unwrap())
}

pub(crate) fn heard(channel: &str, data: Value, seq: u64) -> (String, String, Value, u64) {
    (channel.to_owned(), "srv".to_owned(), data, seq)
}

#[tokio::test]
async fn a_host_of_either_era_gets_its_events_under_the_server_s_id() {
    for (era, upstream) in ERAS.into_iter().flat_map(|era| ERAS.map(|upstream| (era, upstream))) {
        let (stack, events) = builder();
        let mut spec = spec("srv", stack);
        spec.era = EraChoice::Known(upstream);
        let setup = kernel_of(spec).await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        let params = json!({"channels": ["build.*", "chess"], "filter": {"min_severity": "warning"}});
        assert_eq!(
            subscribe(&mut host, era, params).await,
            ["build.finished", "build.started"],
            "{era:?} {upstream:?}"
        );
        let mut other = setup.raw_host(As::mgp(era)).await;
        let of_server = json!({"channels": ["*"], "filter": {"servers": ["srv"], "n": 1}});
        assert!(subscribe(&mut other, era, of_server).await.contains(&"build.started".to_owned()));
        let publish =
            |severity, channel: &str, n: u64| events.publish_at(severity, channel, &json!({"n": n})).unwrap();
        publish(mgp_server_sdk::LoggingLevel::Info, "build.started", 1);
        publish(mgp_server_sdk::LoggingLevel::Error, "build.finished", 2);
        publish(mgp_server_sdk::LoggingLevel::Error, "build.finished", 1);
        assert_eq!(hear(&mut host).await, heard("build.finished", json!({"n": 2}), 1));
        assert_eq!(hear(&mut host).await, heard("build.finished", json!({"n": 1}), 2));
        assert_eq!(hear(&mut other).await, heard("build.started", json!({"n": 1}), 1));
        assert_eq!(hear(&mut other).await, heard("build.finished", json!({"n": 1}), 2));
    }
}

/// A server that takes subscriptions, and answers with these channels.
pub(crate) fn raw(era: Era) -> RawServer {
    raw_with(era, &["events"])
}

/// The same server with other extensions.
pub(crate) fn raw_with(era: Era, extensions: &[&str]) -> RawServer {
    let mgp = json!({"version": "0.3.0", "extensions": extensions});
    let capabilities = match era {
        Era::Initialize => json!({"tools": {}, "mgp": mgp}),
        Era::Stateless => json!({"tools": {}, "extensions": {"dev.cloto/mgp": mgp}}),
    };
    RawServer::new(era, capabilities, |message| match message["method"].as_str() {
        Some(SUBSCRIBE) => {
            let told = json!({"subscribed": ["a.b"], "unsupported": [], "subscription_id": "up"});
            Some(vec![result(message, told)])
        }
        Some(UNSUBSCRIBE) => Some(vec![result(message, json!({"subscription_id": "up", "removed": true}))]),
        Some("tools/call") => Some(vec![text(message, "done")]),
        Some(method) if method.starts_with("mgp/") => {
            Some(vec![crate::raw_server::error(message, -32601, "no")])
        }
        _ => None,
    })
}

pub(crate) fn event(channel: &str, data: Value) -> Value {
    says(
        None,
        EVENT,
        json!({"subscription_id": "up", "channel": channel, "timestamp": "t", "data": data, "server_id": "me"}),
    )
}

#[tokio::test]
async fn one_subscription_at_a_server_serves_all_hosts() {
    let server = raw(Era::Initialize);
    let setup = kernel_of(server.spec("srv")).await;
    let mut hosts = Vec::new();
    for _ in 0..3 {
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        assert_eq!(subscribe(&mut host, Era::Initialize, json!({"channels": ["*", "none"]})).await.len(), 8);
        hosts.push(host);
    }
    assert_eq!(server.read_of(SUBSCRIBE).len(), 1);
    assert_eq!(server.read_of(SUBSCRIBE)[0]["params"]["channels"][0], "*");
    server.say(event("a.b", json!(1)));
    for host in &mut hosts {
        assert_eq!(hear(host).await, heard("a.b", json!(1), 1));
    }
    let mut last = hosts.pop().unwrap();
    drop(hosts);
    server.say(event("a.b", json!(2)));
    assert_eq!(hear(&mut last).await, heard("a.b", json!(2), 2));
    assert_eq!(server.read_of(UNSUBSCRIBE).len(), 0);
    let ended = last.get(UNSUBSCRIBE, json!({"subscription_id": "sub-1"})).await;
    assert_eq!(ended, json!({"subscription_id": "sub-1", "removed": true}));
    server.has_read(UNSUBSCRIBE, 1).await;
}

#[tokio::test]
async fn a_subscription_survives_a_restart_of_the_server() {
    let server = raw(Era::Initialize);
    let mut spec = server.spec("srv");
    spec.restart = RestartConfig {
        restart_policy: RestartPolicy::Always,
        max_restarts: 5,
        restart_window_secs: 300,
        backoff_base_ms: 1,
        backoff_max_ms: 2,
    };
    let setup = kernel_of(spec).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    subscribe(&mut host, Era::Initialize, json!({"channels": ["a.*"]})).await;
    server.say(event("a.b", json!(1)));
    assert_eq!(hear(&mut host).await, heard("a.b", json!(1), 1));
    server.hang_up();
    server.has_read(SUBSCRIBE, 2).await;
    server.say(event("a.b", json!(2)));
    assert_eq!(hear(&mut host).await, heard("a.b", json!(2), 2));
}

#[tokio::test]
async fn events_that_were_lost_before_the_kernel_are_counted() {
    let server = raw(Era::Initialize);
    let setup = kernel_of(server.spec("srv")).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    subscribe(&mut host, Era::Initialize, json!({"channels": ["a.*"]})).await;
    // Some servers say it in members of its own.
    for (seq, member, said) in [(1, "_mgp", json!({"dropped": 7})), (2, "_mgp.dropped", json!(7))] {
        let mut lossy = event("a.b", json!(1));
        lossy["params"][member] = said;
        server.say(lossy);
        let told = host.hear(EVENT).await;
        assert_eq!(told["params"]["_mgp"], json!({"seq": seq, "dropped": 7}), "{told}");
    }
}

#[tokio::test]
async fn only_hosts_that_may_use_a_server_get_its_events_and_channels() {
    for era in ERAS {
        let (stack, events) = builder();
        let setup = start(|kernel, _| {
            let mut spec = spec("srv", stack);
            spec.default_policy = DefaultPolicy::OptIn;
            kernel.server(spec).config(agents(["agent.may", "agent.maynot"]))
        })
        .await;
        let access = setup.kernel.access();
        access.put(server_rule("agent.may", "srv")).await.unwrap();
        let mut may = setup.raw_host(As::mgp(era).of("agent.may")).await;
        let mut may_not = setup.raw_host(As::mgp(era).of("agent.maynot")).await;
        assert_eq!(subscribe(&mut may, era, json!({"channels": ["build.*"]})).await.len(), 2);
        assert_eq!(subscribe(&mut may_not, era, json!({"channels": ["build.*"]})).await, [] as [&str; 0]);
        events.publish("build.started", &1).unwrap();
        assert_eq!(hear(&mut may).await, heard("build.started", json!(1), 1));
        // The right comes, and the subscription is still there.
        access.put(server_rule("agent.maynot", "srv")).await.unwrap();
        events.publish("build.started", &2).unwrap();
        assert_eq!(hear(&mut may).await, heard("build.started", json!(2), 2));
        assert_eq!(hear(&mut may_not).await, heard("build.started", json!(2), 1));
    }
}

#[tokio::test]
async fn a_server_cannot_send_events_in_the_kernel_s_channels() {
    let server = raw(Era::Initialize);
    let plain = RawServer::new(Era::Initialize, json!({"tools": {}}), |_| None);
    let setup = start(|kernel, _| kernel.server(server.spec("srv")).server(plain.spec("plain"))).await;
    for server in ["srv", "plain"] {
        setup.kernel.access().put(server_rule("agent.test", server)).await.unwrap();
    }
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    subscribe(&mut host, Era::Initialize, json!({"channels": ["a.*", "security.*", "system.*", "x"]})).await;
    plain.say(event("a.b", json!("plain")));
    let own = ["security.refused", "security.approval_decided", "system.audit", "system.subscription_ended"];
    for name in own.into_iter().chain(["a *"]) {
        server.say(event(name, json!("fake")));
    }
    server.say(event("a.b", json!("x".repeat(65 * 1024))));
    server.say(event("a.b", json!("true")));
    assert_eq!(hear(&mut host).await, heard("a.b", json!("true"), 1));
    host.settle().await;
    assert_eq!(host.count(EVENT), 0);
}

#[tokio::test]
async fn the_kernel_s_channels_show_all_calls_only_to_operators() {
    let setup = start(|kernel, signals| {
        kernel.server(support::spec("test", signals)).config(|config| {
            config.permissions.wait_ms = 1;
            config.agents.push("ann".into());
            config.agents.push("bob".into());
        })
    })
    .await;
    // Nobody can be asked.
    let mut ann = setup.raw_host(As::unasked().of("ann")).await;
    let mut bob = setup.raw_host(As::mgp(Era::Initialize).of("bob")).await;
    let mut plain = setup.raw_host(As::plain(Era::Initialize).of("ann")).await;
    plain.get("logging/setLevel", json!({"level": "debug"})).await;
    let mut root = setup.raw_host(operator()).await;
    let channels = json!({"channels": ["tool.*", "security.*", "system.*"]});
    let mut of_ann = subscribe(&mut ann, Era::Initialize, channels.clone()).await;
    of_ann.sort();
    let expected = [
        "security.approval_decided",
        "security.approval_needed",
        "security.refused",
        "system.server_state",
        "tool.called",
        "tool.changed",
        "tool.failed",
    ];
    assert_eq!(of_ann, expected);
    subscribe(&mut bob, Era::Initialize, channels.clone()).await;
    let of_root = subscribe(&mut root, Era::Initialize, channels).await;
    assert!(of_root.contains(&"system.audit".to_owned()), "{of_root:?}");
    ann.call("add", json!({"a": 1, "b": 2})).await;
    // Whether a tool exists is told no more than by the answer to its call.
    ann.refused("tools/call", json!({"name": "none"})).await;
    ann.refused("tools/call", json!({"name": "secret", "arguments": {}})).await;
    let (channel, server_id, data, _) = hear(&mut ann).await;
    assert_eq!((&*channel, &*server_id, &data["tool_name"]), ("tool.called", "test", &json!("add")));
    assert_eq!((&data["agent_id"], data.get("details")), (&json!("ann"), None));
    let (channel, _, data, seq) = hear(&mut ann).await;
    assert_eq!((&*channel, &data["tool_name"], seq), ("security.refused", &json!("secret"), 2));
    // A host's calls are answered: that they were made is no news to it.
    let logged = plain.hear(LOG).await["params"].take();
    assert_eq!(
        (&logged["level"], &logged["data"]["channel"]),
        (&json!("warning"), &json!("security.refused"))
    );
    let mut of_root = Vec::new();
    while of_root.iter().filter(|channel| *channel == "security.refused").count() < 2 {
        of_root.push(hear(&mut root).await.0);
    }
    assert!(of_root.contains(&"tool.called".to_owned()), "{of_root:?}");
    assert!(of_root.contains(&"system.audit".to_owned()), "{of_root:?}");
    bob.settle().await;
    ann.settle().await;
    assert_eq!(bob.count(EVENT) + ann.count(EVENT), 0, "{:?} {:?}", bob.heard, ann.heard);
}

#[tokio::test]
async fn only_operators_get_the_reason_for_a_server_s_state() {
    let server = raw(Era::Initialize);
    let mut spec = server.spec("srv");
    spec.default_policy = DefaultPolicy::OptIn;
    let setup = start(|kernel, _| kernel.server(spec).config(agents(["ann"]))).await;
    let mut ann = setup.raw_host(As::mgp(Era::Initialize).of("ann")).await;
    let mut root = setup.raw_host(operator()).await;
    for host in [&mut ann, &mut root] {
        subscribe(host, Era::Initialize, json!({"channels": ["system.server_state"]})).await;
    }
    server.hang_up();
    let (_, server_id, data, _) = within(hear(&mut root)).await;
    assert_eq!((&*server_id, &data["previous_state"]), ("srv", &json!("connected")));
    assert!(data["reason"].is_string(), "{data}");
    ann.settle().await;
    assert_eq!(ann.count(EVENT), 0, "{:?}", ann.heard);
}

#[tokio::test]
async fn a_secret_in_an_event_is_masked_and_recorded_once() {
    let server = raw(Era::Initialize);
    let mut spec = server.spec("srv");
    spec.secrets = SecretPolicy::Mask;
    let setup = kernel_of(spec).await;
    let mut hosts = Vec::new();
    for _ in 0..2 {
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        subscribe(&mut host, Era::Initialize, json!({"channels": ["a.b"]})).await;
        hosts.push(host);
    }
    server.say(event("a.b", json!({"token": token()})));
    for host in &mut hosts {
        let (channel, _, data, _) = hear(host).await;
        assert_eq!((&*channel, data.to_string().contains(&token())), ("a.b", false), "{data}");
    }
    let found = setup.sink.events();
    let found = found.iter().filter(|event| event.event_type.as_str().ends_with("SECRET_FOUND"));
    assert_eq!(found.count(), 1);
}

#[tokio::test]
async fn a_plain_host_has_no_event_methods_and_gets_no_events() {
    for era in ERAS {
        let (setup, events) = kernel().await;
        let mut host = setup.raw_host(As::plain(era)).await;
        assert_eq!(host.refused(SUBSCRIBE, json!({"channels": ["*"]})).await["code"], -32601);
        let filter = json!({"notifications": {"toolsListChanged": true, "dev.cloto/mgp": {"events": {"channels": ["*"]}}}});
        if era == Era::Stateless {
            host.send("subscriptions/listen", filter).await;
            let told = host.hear("notifications/subscriptions/acknowledged").await;
            assert_eq!(told["params"]["notifications"].get("dev.cloto/mgp"), None, "{told}");
        }
        events.publish("build.started", &1).unwrap();
        host.settle().await;
        assert_eq!(host.count(EVENT), 0);
    }
}

#[tokio::test]
async fn params_past_the_bounds_are_refused_with_an_event() {
    let (setup, _events) = kernel().await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let many: Vec<_> = (0..65).map(|n| format!("c{n}")).collect();
    let refused = host.refused(SUBSCRIBE, json!({"channels": many})).await;
    assert_eq!(
        (&refused["code"], refused["message"].as_str().unwrap().contains("found 65")),
        (&json!(-32602), true)
    );
    let recorded = setup.sink.events().into_iter().any(|event| {
        event.event_type.as_str() == "dev.cloto.mgp.REQUEST_BLOCKED"
            && event.details.is_some_and(|details| details.text("method").as_deref() == Some(SUBSCRIBE))
    });
    assert!(recorded);
}

#[tokio::test]
async fn a_plain_host_with_a_log_level_gets_events_as_log_messages() {
    let server = raw(Era::Initialize);
    let setup = kernel_of(server.spec("srv")).await;
    let mut plain = setup.raw_host(As::plain(Era::Initialize)).await;
    let mut silent = setup.raw_host(As::plain(Era::Initialize)).await;
    let mut other = setup.raw_host(As::plain(Era::Initialize).of("agent.other")).await;
    for host in [&mut plain, &mut other] {
        host.get("logging/setLevel", json!({"level": "debug"})).await;
        host.get("logging/setLevel", json!({"level": "notice"})).await;
    }
    server.has_read(SUBSCRIBE, 1).await;
    for (severity, data) in [("info", "hidden"), ("warning", "shown"), ("notice", "last")] {
        let mut event = event("a.b", json!(data));
        event["params"]["severity"] = severity.into();
        server.say(event);
    }
    for (level, data) in [("warning", "shown"), ("notice", "last")] {
        let line = plain.hear(LOG).await["params"].take();
        assert_eq!((&line["level"], &line["logger"]), (&json!(level), &json!("srv")), "{line}");
        assert_eq!(line["data"], json!({"channel": "a.b", "data": data}));
    }
    plain.settle().await;
    for host in [&mut silent, &mut other] {
        host.settle().await;
        assert_eq!(host.count(LOG) + host.count(EVENT), 0, "{:?}", host.heard);
    }
    assert_eq!(plain.count(LOG) + plain.count(EVENT), 0, "{:?}", plain.heard);
}

#[tokio::test]
async fn a_log_message_counts_the_events_lost_before_it() {
    let server = raw(Era::Initialize);
    let setup = kernel_of(server.spec("srv")).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.get("logging/setLevel", json!({"level": "notice"})).await;
    server.has_read(SUBSCRIBE, 1).await;
    // Those that were lost before an event below the level count too.
    for (severity, lost) in [("info", 2), ("warning", 5)] {
        let mut lossy = event("a.b", json!(1));
        lossy["params"]["severity"] = severity.into();
        lossy["params"]["_mgp"] = json!({"dropped": lost});
        server.say(lossy);
    }
    let line = host.hear(LOG).await["params"].take();
    assert_eq!(line["data"], json!({"channel": "a.b", "data": 1, "_mgp": {"dropped": 7}}), "{line}");
}

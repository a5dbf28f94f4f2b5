//! The lives of servers: what happens when they go, come back, or stop.

use crate::{
    raw_host::As,
    raw_server::{RawServer, error, result, says, text},
    support::{
        START_LIMIT, START_LIMIT_MS, Setup, Signals, agent_test, code, json, jump, number, server,
        server_rule, spec, start, until, within,
    },
};
use mgp_kernel::{Endpoint, Era, EraChoice, InProcess, Kernel, ServerSpec};
use mgp_security::audit::MemorySink;
use mgp_toolindex::exposure::Exposure;
use mgp_transport::memory;
use mgp_types::{
    access::DefaultPolicy,
    error::ErrorCode,
    json::RawObject,
    lifecycle::{RestartConfig, RestartPolicy, ServerState},
};
use parking_lot::Mutex;
use serde_json::{Value, json as value};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// A server that the test can cut off: each connection is kept in the list, and dropping it there ends it.
pub(crate) fn fragile(signals: &Signals) -> (ServerSpec, Arc<Mutex<Vec<tokio::task::JoinHandle<()>>>>) {
    let Endpoint::InProcess(inner) = server(signals) else { unreachable!() };
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    let endpoint = Endpoint::InProcess(InProcess::new(move || {
        let (here, there) = memory::pair();
        let (mut from_server, mut to_server) = inner.connect();
        let (mut from_kernel, mut to_kernel) = there;
        kept.lock().push(tokio::spawn(async move {
            let up = tokio::io::copy(&mut from_kernel, &mut to_server);
            let down = tokio::io::copy(&mut from_server, &mut to_kernel);
            let _ = tokio::join!(up, down);
        }));
        here
    }));
    let mut spec = ServerSpec::new("fragile", endpoint);
    spec.default_policy = DefaultPolicy::OptOut;
    spec.restart = RestartConfig {
        restart_policy: RestartPolicy::OnFailure,
        max_restarts: 2,
        restart_window_secs: 300,
        backoff_base_ms: 1,
        backoff_max_ms: 2,
    };
    (spec, lines)
}

#[tokio::test]
async fn a_lost_server_is_restarted_until_its_budget_is_used_up() {
    let signals = Signals::default();
    let (fragile, lines) = fragile(&signals);
    let setup = start(|kernel, signals| kernel.server(fragile).server(spec("steady", signals))).await;
    let host = setup.host().await;
    let add = |name: &'static str| host.call_tool(name, json(r#"{"a":1,"b":1}"#));
    let watched = setup.kernel.servers()[0].clone();
    for restart in 1..=3 {
        within(add("fragile__add")).await.unwrap();
        let line = lines.lock().pop().unwrap();
        line.abort();
        within(add("steady__add")).await.unwrap();
        let wanted = if restart <= 2 { ServerState::Connected } else { ServerState::Error };
        // The loss is noticed first; only then can the state wanted be the new one.
        until(|| {
            line.is_finished()
                && lines.lock().is_empty() != (restart <= 2)
                && watched.status().state == wanted
        })
        .await;
    }
    let error = within(add("fragile__add")).await.unwrap_err();
    assert_eq!(code(&error), number(ErrorCode::ServerNotReady));
    let gave_up = setup.sink.events().into_iter().filter(|event| {
        event.details.as_ref().is_some_and(|details| details.get("restart_limit_exceeded").is_some())
    });
    assert_eq!(gave_up.count(), 1);
}

#[tokio::test]
async fn shutdown_completes_the_call_in_flight_and_refuses_new_ones() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.shutdown_timeout = Duration::from_secs(30);
        kernel.server(spec)
    })
    .await;
    let host = setup.host().await;
    let hanging = host.start_tool("hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    let kernel = setup.kernel.clone();
    let stopping = tokio::spawn(async move { kernel.shutdown().await });
    until(|| setup.kernel.servers()[0].status().state == ServerState::Draining).await;
    let error = within(host.call_tool("add", json(r#"{"a":1,"b":1}"#))).await.unwrap_err();
    assert_eq!(code(&error), number(ErrorCode::ServerDraining));
    jump(Duration::from_secs(31)).await;
    within(stopping).await.unwrap();
    assert_eq!(setup.kernel.servers()[0].status().state, ServerState::Disconnected);
    assert!(within(hanging.reply()).await.is_err(), "the call past the limit is answered");
}

#[tokio::test]
async fn a_server_without_a_handshake_is_abandoned() {
    let silent = Endpoint::InProcess(InProcess::new(|| {
        let (here, there) = memory::pair();
        tokio::spawn(async move {
            let _held = there;
            std::future::pending::<()>().await;
        });
        here
    }));
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = tries.clone();
    let mut spec_silent = ServerSpec::new("silent", silent);
    spec_silent.startup_timeout = Duration::from_millis(20);
    spec_silent.restart.restart_policy = RestartPolicy::Never;
    let signals = Signals::default();
    let kernel = Kernel::builder()
        .server(spec_silent)
        .server(spec("test", &signals))
        .config(agent_test)
        .start()
        .await
        .unwrap();
    counted.fetch_add(1, Ordering::SeqCst);
    assert_eq!(kernel.ready(START_LIMIT).await, ["silent"]);
    assert!(kernel.servers()[0].status().reason.contains("20ms"));
}

#[tokio::test]
async fn a_server_s_report_of_its_state_has_no_effect() {
    let capabilities = serde_json::json!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["lifecycle", "streaming"]}});
    let raw = RawServer::new(Era::Initialize, capabilities, |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, "done")])
    });
    let setup = start(|kernel, _| kernel.server(raw.spec("srv"))).await;
    setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    host.after_start().await;
    for state in ["draining", "disconnected", "error"] {
        let word = serde_json::json!({"server_id": "srv", "previous_state": "connected", "new_state": state});
        raw.say(says(None, "notifications/mgp.lifecycle", word));
        host.settle().await;
        assert_eq!(setup.kernel.servers()[0].status().state, ServerState::Connected);
        assert_eq!(host.text("work", serde_json::json!({})).await, "done");
    }
    assert_eq!(host.count("notifications/mgp.lifecycle"), 0, "{:?}", host.heard);
}

#[tokio::test]
async fn a_list_and_a_call_wait_for_their_server_to_start() {
    let signals = Signals::default();
    let kernel = Kernel::builder()
        .server(spec("test", &signals))
        .config(|config| {
            config.kernel.agent = "agent.test".into();
            config.kernel.exposure = Exposure::Full;
            config.kernel.start_wait_ms = START_LIMIT_MS;
        })
        .start()
        .await
        .unwrap();
    let setup = Setup { kernel, sink: MemorySink::new(10), signals };
    let host = setup.host().await;
    let (sum, tools) = tokio::join!(host.call_tool("add", json(r#"{"a":1,"b":1}"#)), host.list_tools());
    assert_eq!(sum.unwrap().content[0].as_text(), Some("2"));
    assert_eq!(tools.unwrap().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_a_server_that_does_not_start_is_bounded() {
    let silent = Endpoint::InProcess(InProcess::new(|| {
        let (here, there) = memory::pair();
        tokio::spawn(async move {
            let _held = there;
            std::future::pending::<()>().await;
        });
        here
    }));
    let kernel = Kernel::builder()
        .server(ServerSpec::new("silent", silent))
        .config(|config| config.kernel.start_wait_ms = 3_000)
        .start()
        .await
        .unwrap();
    let setup = Setup { kernel, sink: MemorySink::new(10), signals: Signals::default() };
    let host = setup.host().await;
    let before = tokio::time::Instant::now();
    let error = host.call_tool("add", json("{}")).await.unwrap_err();
    assert_eq!((code(&error), before.elapsed().as_secs()), (number(ErrorCode::ToolNotFound), 3));
    let before = tokio::time::Instant::now();
    setup.kernel.shutdown().await;
    assert!(before.elapsed() < Duration::from_secs(1));
    assert_eq!(setup.kernel.servers()[0].status().state, ServerState::Disconnected);
}

/// A plain server that runs its one tool where it would answer a ping: for three minutes it is deaf.
pub(crate) fn deaf_while_it_works(connections: &Arc<AtomicUsize>) -> ServerSpec {
    let counted = connections.clone();
    let endpoint = Endpoint::InProcess(InProcess::new(move || {
        counted.fetch_add(1, Ordering::SeqCst);
        let (here, (input, mut output)) = memory::pair();
        tokio::spawn(async move {
            let mut lines = BufReader::new(input).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let message = RawObject::parse(line).unwrap();
                let result = match message.text("method").as_deref() {
                    Some("initialize") => {
                        r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"deaf","version":"1"}}"#
                    }
                    Some("tools/list") => r#"{"tools":[{"name":"work","inputSchema":{"type":"object"}}]}"#,
                    Some("tools/call") => {
                        tokio::time::sleep(Duration::from_secs(180)).await;
                        r#"{"content":[{"type":"text","text":"done"}]}"#
                    }
                    _ => "{}",
                };
                if let Some(id) = message.get("id") {
                    let reply = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n");
                    output.write_all(reply.as_bytes()).await.unwrap();
                }
            }
        });
        here
    }));
    let mut spec = ServerSpec::new("deaf", endpoint);
    spec.default_policy = DefaultPolicy::OptOut;
    spec.health_pause = Duration::from_secs(1);
    spec.call_timeout = Duration::from_secs(600);
    spec
}

#[tokio::test]
async fn a_plain_server_that_is_silent_while_it_works_is_kept() {
    let connections = Arc::new(AtomicUsize::new(0));
    let setup = start(|kernel, _| kernel.server(deaf_while_it_works(&connections))).await;
    let host = setup.host().await;
    // From here on a minute takes no time.
    tokio::time::pause();
    let answer = host.call_tool("work", json("{}")).await.unwrap();
    assert_eq!(answer.content[0].as_text(), Some("done"));
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_deadlocked_plain_server_is_abandoned_despite_new_calls() {
    let connections = Arc::new(AtomicUsize::new(0));
    let setup = start(|kernel, _| {
        let mut spec = deaf_while_it_works(&connections);
        spec.call_timeout = Duration::from_secs(10);
        spec.restart.restart_policy = RestartPolicy::Never;
        kernel.server(spec)
    })
    .await;
    let host = setup.host().await;
    tokio::time::pause();
    let watched = setup.kernel.servers()[0].clone();
    for _ in 0..12 {
        let _ = host.call_tool("work", json("{}")).await;
    }
    assert_eq!(watched.status().state, ServerState::Error);
}

/// An answer of a server to a check.
type CheckAnswer = fn(&Value) -> Vec<Value>;

/// Returns whether a message is a check of the server's health.
fn is_check(message: &Value) -> bool {
    matches!(message["method"].as_str(), Some("ping" | "mgp/health/ping"))
}

/// Starts a server with these capabilities that answers its first checks as `answers` says, by their number, and every later one as the last of
/// these. Returns the server's state after ten minutes without a call.
async fn after_ten_minutes(capabilities: Value, answers: Vec<CheckAnswer>) -> ServerState {
    let asked = AtomicUsize::new(0);
    let server = RawServer::new(Era::Initialize, capabilities, move |message| {
        is_check(message)
            .then(|| answers[asked.fetch_add(1, Ordering::SeqCst).min(answers.len() - 1)](message))
    });
    let setup = start(|kernel, _| {
        let mut spec = server.spec("raw");
        spec.restart.restart_policy = RestartPolicy::Never;
        kernel.server(spec)
    })
    .await;
    tokio::time::pause();
    tokio::time::sleep(Duration::from_secs(600)).await;
    tokio::time::resume();
    assert!(server.read().iter().filter(|message| is_check(message)).count() >= 3);
    setup.kernel.servers()[0].status().state
}

#[tokio::test]
async fn only_a_plain_server_that_answered_before_is_lost_to_silence() {
    let answer: CheckAnswer = |message| vec![result(message, value!({}))];
    let silence: CheckAnswer = |_| Vec::new();
    let log: CheckAnswer = |_| vec![log_message()];
    let plain = || value!({"tools": {}});
    let perhaps_without_ping = after_ten_minutes(plain(), vec![silence]).await;
    assert_eq!(perhaps_without_ping, ServerState::Connected);
    assert_eq!(after_ten_minutes(plain(), vec![answer, log]).await, ServerState::Connected, "it is alive");
    assert_eq!(after_ten_minutes(plain(), vec![answer, silence]).await, ServerState::Error);
}

fn log_message() -> Value {
    says(None, "notifications/message", value!({"level": "info", "data": "x"}))
}

#[tokio::test]
async fn messages_excuse_no_unreachable_server_or_missed_health_check() {
    let answer: CheckAnswer = |message| vec![result(message, value!({}))];
    // What the transport over HTTP says of a server that is gone; as an answer, it is a message too.
    let gone: CheckAnswer = |message| vec![error(message, 5002, "connection refused")];
    assert_eq!(after_ten_minutes(value!({"tools": {}}), vec![answer, gone]).await, ServerState::Error);
    let log: CheckAnswer = |_| vec![log_message()];
    let mgp = value!({"tools": {}, "mgp": {"version": "0.3.0", "extensions": ["lifecycle"]}});
    assert_eq!(after_ten_minutes(mgp, vec![log]).await, ServerState::Error);
}

#[tokio::test]
async fn an_unanswered_call_ends_a_server_that_answered_no_check() {
    for (speaks_later, expected) in [(false, ServerState::Error), (true, ServerState::Connected)] {
        let server = RawServer::new(Era::Initialize, value!({"tools": {}}), move |message| {
            match message["method"].as_str()? {
                "ping" | "tools/call" => Some(Vec::new()),
                "notifications/cancelled" if speaks_later => Some(vec![log_message()]),
                _ => None,
            }
        });
        let setup = start(|kernel, _| {
            let mut spec = server.spec("raw");
            spec.restart.restart_policy = RestartPolicy::Never;
            spec.call_timeout = Duration::from_secs(10);
            kernel.server(spec)
        })
        .await;
        let host = setup.host().await;
        tokio::time::pause();
        let error = host.call_tool("work", json("{}")).await.unwrap_err();
        assert_eq!(code(&error), number(ErrorCode::Timeout));
        // No call is in flight from here on.
        tokio::time::sleep(Duration::from_secs(600)).await;
        tokio::time::resume();
        assert_eq!(setup.kernel.servers()[0].status().state, expected, "it speaks later: {speaks_later}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_always_exits_cleanly_uses_up_its_restarts() {
    let script = r#"read a; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"brief","version":"1"}}}'; read b; read c; echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}'"#;
    let command = mgp_kernel::ChildCommand::new("brief", "sh").args(["-c", script]);
    let mut spec = ServerSpec::new("brief", Endpoint::Child(command));
    // Its first answer is to initialize, whatever it is asked.
    spec.era = EraChoice::Known(Era::Initialize);
    spec.restart = RestartConfig {
        restart_policy: RestartPolicy::Always,
        max_restarts: 1,
        restart_window_secs: 300,
        backoff_base_ms: 1,
        backoff_max_ms: 2,
    };
    let sink = MemorySink::new(100);
    let kernel = Kernel::builder().audit_sink(sink.clone()).server(spec).start().await.unwrap();
    until(|| kernel.servers()[0].status().state == ServerState::Error).await;
    let results: Vec<_> = sink
        .events()
        .iter()
        .filter(|event| event.event_type.as_str() == "SERVER_DISCONNECTED")
        .map(|event| event.result.to_string())
        .collect();
    assert_eq!(results, ["SUCCESS", "SUCCESS", "FAILURE"], "it ended well twice, then was given up");
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_dies_at_start_is_reported_with_its_last_line() {
    // It reads first: what it prints after its input is gone, nobody reads.
    let script = "read -r _; echo 'loading'; echo 'no such database' >&2; exit 3";
    let command = mgp_kernel::ChildCommand::new("broken", "sh").args(["-c", script]);
    let mut spec = ServerSpec::new("broken", Endpoint::Child(command));
    spec.restart = RestartConfig { restart_policy: RestartPolicy::Never, ..RestartConfig::default() };
    let sink = MemorySink::new(100);
    let kernel = Kernel::builder().audit_sink(sink.clone()).server(spec).start().await.unwrap();
    until(|| sink.events().iter().any(|event| event.event_type.as_str() == "SERVER_DISCONNECTED")).await;
    assert_eq!(kernel.servers()[0].status().state, ServerState::Error);
    let told = format!("{:?}", sink.events());
    for part in ["broken", "exit status: 3", "no such database", "1 lines of its stdout were not messages"] {
        assert!(told.contains(part), "{told}: {part}");
    }
}

//! §11.5 Servers that are away, and come back; and servers that end by themselves without an error.

#[cfg(feature = "http")]
use crate::upstream::http_refused::{Door, listen};
use crate::{
    raw_host::As,
    raw_server::{RawServer, text},
    support::{
        Setup, Signals, agent_test, code, json, jump, number, pass, pause_clock, start, until, within,
    },
};
use mgp_client_sdk::client::Client;
use mgp_kernel::{Era, Kernel, Server, ServerSpec};
use mgp_lifecycle::state::Outlook;
use mgp_security::audit::MemorySink;
use mgp_transport::seam::CallError;
use mgp_types::{
    error::{ErrorCode, Recovery},
    lifecycle::{RestartConfig, RestartPolicy, ServerState},
};
use serde_json::json as value;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// A server that hangs up on its first message while it is away.
struct RoamingServer {
    server: RawServer,
    is_there: Arc<AtomicBool>,
}

impl RoamingServer {
    fn new(is_there: bool) -> Self {
        let is_there = Arc::new(AtomicBool::new(is_there));
        let now = is_there.clone();
        let server = RawServer::new(Era::Initialize, value!({"tools": {}}), |message| {
            (message["method"] == "tools/call").then(|| vec![text(message, "done")])
        });
        let server = server.hanging_up_while(move || !now.load(Ordering::SeqCst));
        Self { server, is_there }
    }

    /// Returns the spec of the server, which has one restart.
    fn spec(&self, backoff_max_ms: u64) -> ServerSpec {
        let mut spec = self.server.spec("srv");
        spec.restart = one_restart(backoff_max_ms);
        spec
    }

    fn comes_back(&self) {
        self.is_there.store(true, Ordering::SeqCst);
    }

    fn goes_away(&self) {
        self.is_there.store(false, Ordering::SeqCst);
        self.server.hang_up();
    }
}

fn one_restart(backoff_max_ms: u64) -> RestartConfig {
    RestartConfig {
        restart_policy: RestartPolicy::OnFailure,
        max_restarts: 1,
        restart_window_secs: 300,
        backoff_base_ms: 1,
        backoff_max_ms,
    }
}

fn is_connected(server: &Server) -> bool {
    server.status().state == ServerState::Connected
}

#[tokio::test]
async fn a_failing_start_is_retried_without_use_of_restarts() {
    let (roaming, sink) = (RoamingServer::new(false), MemorySink::new(1000));
    let builder = Kernel::builder().audit_sink(sink.clone()).server(roaming.spec(2));
    let kernel = builder.start().await.unwrap();
    let server = kernel.servers()[0].clone();
    until(|| server.restarts() > 20).await;
    roaming.comes_back();
    until(|| is_connected(&server)).await;
    let ends = sink.events().into_iter().filter(|event| event.event_type.as_str() == "SERVER_DISCONNECTED");
    let ends = ends.count();
    assert!((1..10).contains(&ends), "each failure has an event of its own: {ends}");
    // It came up and is lost: that is its one restart.
    let restarts = server.restarts();
    roaming.server.hang_up();
    until(|| server.restarts() > restarts && is_connected(&server)).await;
    roaming.server.hang_up();
    until(|| server.status().state == ServerState::Error).await;
}

/// Lets time pass until the next attempt to start a server that is away is far off, and returns the time of that attempt.
async fn next_is_far_off(server: &Server) -> Instant {
    loop {
        pass(Duration::from_secs(1)).await;
        if let Outlook::StartBy(due) = server.status().outlook
            && due.saturating_duration_since(Instant::now()) > Duration::from_secs(5)
        {
            return due;
        }
    }
}

/// Starts a kernel in front of a server that then goes away, and returns once its next attempt is far off, with the time of that attempt.
async fn gone(roaming: &RoamingServer) -> (Setup, Client, Instant) {
    let setup = start(|kernel, _| kernel.server(roaming.spec(600_000))).await;
    let host = setup.host().await;
    roaming.goes_away();
    let due = next_is_far_off(&setup.kernel.servers()[0]).await;
    (setup, host, due)
}

#[tokio::test]
async fn a_call_for_an_unavailable_server_retries_its_start_at_once() {
    let roaming = RoamingServer::new(true);
    let (_setup, host, due) = gone(&roaming).await;
    roaming.comes_back();
    let call = within(host.call_tool("work", json("{}")));
    let (done, ()) = tokio::join!(call, jump(Duration::from_secs(2)));
    assert_eq!(done.unwrap().content[0].as_text(), Some("done"));
    assert!(Instant::now() < due, "it was due anyway");
}

#[tokio::test]
async fn a_call_for_an_unavailable_server_fails_after_one_attempt() {
    let roaming = RoamingServer::new(true);
    let (setup, host, _) = gone(&roaming).await;
    let server = setup.kernel.servers()[0].clone();
    let restarts = server.restarts();
    let call = within(host.call_tool("work", json("{}")));
    let (refused, ()) = tokio::join!(call, jump(Duration::from_secs(2)));
    let error = refused.unwrap_err();
    assert_eq!(code(&error), number(ErrorCode::ServerNotReady));
    let told = error.to_string();
    assert!(told.contains("was tried for this request, and is still away"), "{told}");
    assert!(told.contains("failed to shake hands"), "{told}");
    let CallError::Peer(error) = error else { unreachable!() };
    let advice = Recovery::from_error(&error).unwrap();
    assert!(advice.retryable && !advice.is_outcome_unknown(), "{advice:?}");
    assert_eq!(server.restarts(), restarts + 1);
    let found = setup.raw_host(As::plain(Era::Stateless)).await.get("server/discover", value!({})).await;
    let instructions = found["instructions"].as_str().unwrap();
    assert!(instructions.contains("`srv` (not connected)"), "{instructions}");
}

#[tokio::test]
async fn an_unavailable_server_is_retried_at_most_once_a_second() {
    let roaming = RoamingServer::new(true);
    let (setup, host, _) = gone(&roaming).await;
    let server = setup.kernel.servers()[0].clone();
    let _paused = pause_clock();
    let (restarts, began) = (server.restarts(), Instant::now());
    let call = || within(host.call_tool("work", json("{}")));
    while server.restarts() < restarts + 4 {
        let (one, other) = tokio::join!(call(), call());
        assert!(one.is_err() && other.is_err());
    }
    assert!(began.elapsed() >= Duration::from_secs(3), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_list_or_unknown_tool_starts_a_server_that_never_listed() {
    for lists in [true, false] {
        let roaming = RoamingServer::new(false);
        let builder = Kernel::builder().config(agent_test).server(roaming.spec(600_000));
        let kernel = builder.start().await.unwrap();
        let setup = Setup { kernel, sink: MemorySink::new(10), signals: Signals::default() };
        let (host, server) = (setup.host().await, setup.kernel.servers()[0].clone());
        let due = next_is_far_off(&server).await;
        roaming.comes_back();
        if lists {
            within(host.list_tools()).await.unwrap();
        } else {
            let error = within(host.call_tool("work", json("{}"))).await.unwrap_err();
            assert_eq!(code(&error), number(ErrorCode::ToolNotFound));
        }
        jump(Duration::from_secs(2)).await;
        until(|| is_connected(&server)).await;
        assert!(Instant::now() < due, "it was due anyway");
    }
}

#[cfg(feature = "http")]
#[tokio::test]
async fn a_server_at_a_url_is_retried_without_end() {
    use mgp_kernel::{Endpoint, EraChoice, HttpClientConfig};
    let door = Door::default();
    let (address, task) = listen(&door, "127.0.0.1:0").await;
    // Nothing listens at the address at first.
    task.abort();
    let _ = task.await;
    let url = format!("http://{address}/mcp");
    let mut spec = ServerSpec::new("srv", Endpoint::Http { url, config: HttpClientConfig::default() });
    spec.era = EraChoice::Known(Era::Initialize);
    spec.health_pause = Duration::from_millis(5);
    spec.restart = one_restart(2);
    let kernel = Kernel::builder().server(spec).start().await.unwrap();
    let server = kernel.servers()[0].clone();
    for _ in 0..3 {
        let restarts = server.restarts();
        until(|| server.restarts() > restarts + 3).await;
        let (_, task) = listen(&door, &address.to_string()).await;
        until(|| is_connected(&server)).await;
        task.abort();
        let _ = task.await;
    }
}

#[cfg(feature = "http")]
#[tokio::test]
async fn a_server_at_a_url_is_abandoned_on_401_but_not_on_403() {
    use mgp_kernel::{Endpoint, EraChoice, HttpClientConfig};
    for (status, is_given_up) in [(401, true), (403, false)] {
        let door = Door::default();
        door.shut(Some(status));
        let (address, _task) = listen(&door, "127.0.0.1:0").await;
        let url = format!("http://{address}/mcp");
        let mut spec = ServerSpec::new("srv", Endpoint::Http { url, config: HttpClientConfig::default() });
        spec.era = EraChoice::Known(Era::Initialize);
        spec.restart = one_restart(2);
        let kernel = Kernel::builder().server(spec).start().await.unwrap();
        let server = kernel.servers()[0].clone();
        if is_given_up {
            until(|| server.status().outlook == Outlook::Final).await;
            assert_eq!((server.status().state, server.restarts()), (ServerState::Error, 1), "{status}");
        } else {
            // A proxy forbids requests while the server behind it restarts.
            until(|| server.restarts() > 10).await;
            door.shut(None);
            until(|| is_connected(&server)).await;
        }
    }
}

/// A server that ends without an error once it has answered a call.
#[cfg(all(unix, feature = "child"))]
const ONE_CALL: &str = r#"
while IFS= read -r line; do
    id=${line#*\"id\":}; id=${id%%[,\}]*}
    case "$line" in
    *'"method":"initialize"'*)
        result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"work","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}}\n' "$id"
        exit 0 ;;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"none"}}\n' "$id"; continue ;;
    *) continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

#[cfg(all(unix, feature = "child"))]
fn one_call_spec() -> ServerSpec {
    use mgp_kernel::{ChildCommand, Endpoint};
    let command = ChildCommand::new("brief", "sh").args(["-c", ONE_CALL]);
    let mut spec = ServerSpec::new("brief", Endpoint::Child(command));
    spec.default_policy = mgp_types::access::DefaultPolicy::OptOut;
    spec
}

#[cfg(all(unix, feature = "child"))]
async fn one_call(policy: RestartPolicy) -> (Setup, Client, Arc<Server>) {
    let mut spec = one_call_spec();
    spec.restart.restart_policy = policy;
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let (host, server) = (setup.host().await, setup.kernel.servers()[0].clone());
    (setup, host, server)
}

#[cfg(all(unix, feature = "child"))]
#[tokio::test]
async fn a_server_that_exited_without_error_starts_with_the_next_call() {
    let (_setup, host, server) = one_call(RestartPolicy::OnFailure).await;
    for restarts in 0..3 {
        let done = within(host.call_tool("work", json("{}"))).await.unwrap();
        assert_eq!((done.content[0].as_text(), server.restarts()), (Some("done"), restarts));
        until(|| server.is_on_demand()).await;
        let status = server.status();
        assert_eq!(status.state, ServerState::Disconnected);
        let reason =
            "its process ended by itself, without an error; the next request that needs it starts it";
        assert_eq!(&*status.reason, reason);
    }
}

#[cfg(all(unix, feature = "child"))]
#[tokio::test]
async fn a_server_without_restarts_stays_down_after_a_clean_exit() {
    let (_setup, host, server) = one_call(RestartPolicy::Never).await;
    within(host.call_tool("work", json("{}"))).await.unwrap();
    until(|| server.status().outlook == Outlook::Final).await;
    let refused = within(host.call_tool("work", json("{}"))).await.unwrap_err();
    assert!(refused.to_string().contains("is not started again"), "{refused}");
    assert_eq!(server.restarts(), 0);
}

#[cfg(all(unix, feature = "child"))]
#[tokio::test]
async fn an_audit_server_is_restarted_after_a_clean_exit() {
    let mut spec = one_call_spec();
    spec.restart = one_restart(2);
    let setup =
        start(|kernel, _| kernel.config(|config| config.audit.server = Some("brief".into())).server(spec))
            .await;
    let (host, server) = (setup.host().await, setup.kernel.servers()[0].clone());
    within(host.call_tool("work", json("{}"))).await.unwrap();
    until(|| server.restarts() == 1 && is_connected(&server)).await;
}

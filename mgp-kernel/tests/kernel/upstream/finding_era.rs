//! In which era a server is spoken to, where nobody said it.

use crate::{
    log,
    raw_server::{RawServer, result},
    support::{Setup, Signals, pause_clock, ready, start, until},
};
use mgp_kernel::{Era, EraChoice, Kernel, ServerSpec};
use mgp_security::audit::MemorySink;
use mgp_types::lifecycle::{RestartConfig, RestartPolicy, ServerState};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

/// It is started again at once, so many times.
fn asked(server: &RawServer, restarts: u32) -> ServerSpec {
    let mut spec = server.spec("srv");
    spec.era = EraChoice::AUTO;
    spec.restart = RestartConfig {
        restart_policy: RestartPolicy::OnFailure,
        max_restarts: restarts,
        restart_window_secs: 300,
        backoff_base_ms: 1,
        backoff_max_ms: 2,
    };
    spec
}

fn methods(server: &RawServer) -> Vec<String> {
    let all = server.read();
    let opens = |message: &Value| {
        let method = message["method"].as_str()?;
        ["server/discover", "initialize"].contains(&method).then(|| method.to_owned())
    };
    all.iter().filter_map(opens).collect()
}

/// Waits until the server is connected again after it hung up.
async fn lost_and_found(setup: &Setup, server: &RawServer) {
    let before = methods(server).len();
    server.hang_up();
    until(|| {
        methods(server).len() > before && setup.kernel.servers()[0].status().state == ServerState::Connected
    })
    .await;
}

fn failures(setup: &Setup) -> usize {
    let all = setup.sink.events();
    all.iter().filter(|event| event.event_type.to_string() == "SERVER_DISCONNECTED").count()
}

#[tokio::test]
async fn the_era_of_a_server_is_found_once_and_kept_over_restarts() {
    for era in [Era::Initialize, Era::Stateless] {
        let server = RawServer::new(era, json!({"tools": {}}), |_| None);
        let setup = start(|kernel, _| kernel.server(asked(&server, 5))).await;
        let (first, then) = match era {
            Era::Initialize => (&["server/discover", "initialize"][..], "initialize"),
            Era::Stateless => (&["server/discover"][..], "server/discover"),
        };
        assert_eq!(methods(&server), first);
        lost_and_found(&setup, &server).await;
        assert_eq!(methods(&server)[first.len()..], [then], "{era:?}");
    }
}

#[tokio::test]
async fn a_server_that_ends_at_the_probe_restarts_without_a_failure() {
    let server =
        RawServer::new(Era::Initialize, json!({"tools": {}}), |_| None).hanging_up_on("server/discover");
    // A failure would be its last.
    let setup = start(|kernel, _| kernel.server(asked(&server, 0))).await;
    assert_eq!(methods(&server), ["server/discover", "initialize"]);
    assert_eq!(failures(&setup), 0);
}

#[tokio::test]
async fn a_server_that_ended_at_the_probe_is_not_probed_again() {
    let server =
        RawServer::new(Era::Initialize, json!({"tools": {}}), |_| None).hanging_up_on("server/discover");
    let setup = start(|kernel, _| kernel.server(asked(&server, 5))).await;
    lost_and_found(&setup, &server).await;
    assert_eq!(methods(&server), ["server/discover", "initialize", "initialize"]);
    assert_eq!(failures(&setup), 1);
}

#[tokio::test]
async fn a_server_that_failed_for_another_reason_is_probed_again() {
    // It ends twice before it is ready, whatever it is asked, and speaks the stateless era alone.
    let starts = Arc::new(AtomicUsize::new(0));
    let counted = starts.clone();
    let server = RawServer::new(Era::Stateless, json!({"tools": {}}), |_| None)
        .hanging_up_while(move || counted.fetch_add(1, Ordering::SeqCst) < 2);
    let setup = Kernel::builder().server(asked(&server, 5)).start().await.unwrap();
    until(|| setup.servers()[0].status().state == ServerState::Connected).await;
    assert_eq!(methods(&server), ["server/discover", "initialize", "server/discover"]);
}

#[tokio::test]
async fn another_program_with_the_same_server_id_is_probed_again() {
    let replaced = Arc::new(AtomicUsize::new(0));
    let now = replaced.clone();
    let server = RawServer::new(Era::Stateless, json!({"tools": {}}), move |message| {
        if now.load(Ordering::SeqCst) == 0 {
            return None;
        }
        let info = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "old", "version": "1"}});
        match message["method"].as_str() {
            Some("server/discover") => {
                Some(vec![crate::raw_server::error(message, -32601, "no such method")])
            }
            Some("initialize") => Some(vec![result(message, info)]),
            _ => None,
        }
    });
    let setup = start(|kernel, _| kernel.server(asked(&server, 5))).await;
    replaced.store(1, Ordering::SeqCst);
    lost_and_found(&setup, &server).await;
    assert_eq!(methods(&server).last().map(String::as_str), Some("initialize"));
}

#[tokio::test]
async fn a_silent_server_gets_initialize_within_its_start_time() {
    for choice in [EraChoice::AUTO, EraChoice::Auto { probe_timeout: Duration::from_millis(50) }] {
        let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
            (message["method"] == "server/discover").then(Vec::new)
        });
        let mut spec = asked(&server, 0);
        spec.era = choice;
        spec.startup_timeout = Duration::from_secs(4);
        let (warnings, _kept) = log::keep();
        let sink = MemorySink::new(1000);
        let paused = pause_clock();
        let kernel = Kernel::builder().audit_sink(sink.clone()).server(spec).start().await.unwrap();
        server.has_read("tools/list", 1).await;
        // The kernel reads the list before time passes. Its index does not follow the paused clock.
        tokio::time::sleep(Duration::from_millis(1)).await;
        drop(paused);
        ready(&kernel).await;
        let setup = Setup { kernel, sink, signals: Signals::default() };
        assert_eq!(methods(&server), ["server/discover", "initialize"]);
        assert_eq!(failures(&setup), 0);
        let warned = warnings.take();
        assert!(
            warned.iter().any(|warning| warning.message.contains("did not answer `server/discover`")),
            "{warned:?}"
        );
    }
}

#[cfg(all(unix, feature = "child"))]
#[tokio::test]
async fn a_child_that_exits_at_the_probe_is_restarted() {
    use mgp_kernel::{ChildCommand, Endpoint};
    const SERVER: &str = r#"
while IFS= read -r line; do
    printf '%s\n' "$line" >> "$1"
    id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"method":"server/discover"'*) exit 1 ;;
    *'"method":"initialize"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}\n' "$id" ;;
    esac
done
"#;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("lines");
    let command = ChildCommand::new("shell", "sh").args(["-c", SERVER, "sh", log.to_str().unwrap()]);
    let mut spec = ServerSpec::new("shell", Endpoint::Child(command));
    spec.restart.max_restarts = 0;
    let setup = start(|kernel, _| kernel.server(spec)).await;
    assert_eq!(failures(&setup), 0);
    let lines = std::fs::read_to_string(&log).unwrap();
    let count = |method: &str| lines.lines().filter(|line| line.contains(method)).count();
    assert_eq!((count("server/discover"), count("\"initialize\"")), (1, 1), "{lines}");
    setup.kernel.shutdown().await;
}

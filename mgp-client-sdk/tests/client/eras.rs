//! The detection of a server's era over byte streams. The clock is tokio's, so that only a silent server meets a time limit.

use crate::{
    scripted::{self, Lines, Script, error, plain, result},
    support::{builder, within},
};
use mgp_client_sdk::{
    Era, EraChoice, HandshakeError,
    client::{Client, ClientError},
};
use mgp_transport::memory;
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use xtask_testing::RawPeer;

/// Returns a server that answers `server/discover` with `discover`, and `initialize` as a plain server does.
fn answering(discover: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static) -> Script {
    Arc::new(move |line| match line["method"].as_str() {
        Some("server/discover") => discover(line),
        _ => plain(line, &json!({})).unwrap_or_default(),
    })
}

async fn connect(script: Script) -> (Result<Client, ClientError>, Lines) {
    let choice = EraChoice::Auto { probe_timeout: Duration::from_millis(200) };
    scripted::connect(script, builder(), choice).await
}

fn unsupported(supported: &[&str]) -> Vec<Value> {
    let data = json!({"supported": supported, "requested": "2026-07-28"});
    vec![json!({"error": {"code": -32022, "message": "unsupported", "data": data}})]
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_discovery_is_stateless() {
    let (client, lines) = connect(Arc::new(|line| plain(line, &json!({})).unwrap_or_default())).await;
    assert_eq!(client.unwrap().greeting().era(), Era::Stateless);
    assert_eq!(lines.methods(), ["server/discover"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_discovery_gets_initialize() {
    type Discover = fn(&Value) -> Vec<Value>;
    let cases: [(&str, Discover); 7] = [
        ("silent", |_| Vec::new()),
        ("-32601", |_| error(-32601, "method not found")),
        ("-32602", |_| error(-32602, "invalid request parameters")),
        ("-32000", |_| error(-32000, "not initialized")),
        ("something else", |_| result(json!([7]))),
        ("other revisions", |_| result(json!({"supportedVersions": ["2099-01-01"], "capabilities": {}}))),
        ("earlier revisions", |_| unsupported(&["2025-11-25", "2025-06-18"])),
    ];
    for (case, discover) in cases {
        let (client, lines) = connect(answering(discover)).await;
        assert_eq!(client.unwrap().greeting().era(), Era::Initialize, "{case}");
        lines.wait_for("notifications/initialized", 1).await;
        assert_eq!(lines.methods(), ["server/discover", "initialize", "notifications/initialized"], "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_revision_is_followed_by_the_newest_one_named() {
    let script = |supported: Value| -> Script {
        Arc::new(move |line| match line["method"].as_str() {
            Some("server/discover") => error(-32601, "method not found"),
            Some("initialize") if line["params"]["protocolVersion"] != "2025-03-26" => {
                let data = json!({"supported": supported, "requested": line["params"]["protocolVersion"]});
                vec![
                    json!({"error": {"code": -32602, "message": "Unsupported protocol version", "data": data}}),
                ]
            }
            Some("initialize") => result(json!({
                "protocolVersion": "2025-03-26", "capabilities": {}, "serverInfo": {"name": "old", "version": "1"}
            })),
            _ => Vec::new(),
        })
    };
    for named in [json!(["2024-11-05", "2025-03-26"]), json!([null, 7, "2025-03-26"]), json!("2025-03-26")] {
        let (client, lines) = connect(script(named)).await;
        assert_eq!(client.unwrap().greeting().era(), Era::Initialize);
        let asked: Vec<_> =
            lines.of("initialize").iter().map(|line| line["params"]["protocolVersion"].clone()).collect();
        assert_eq!(asked, ["2025-11-25", "2025-03-26"]);
    }
    for none in [json!([]), json!(["2025-11-25"]), json!(["2099-01-01"]), json!(7), json!(null)] {
        let (refused, lines) = connect(script(none)).await;
        assert!(refused.unwrap_err().to_string().contains("Unsupported protocol version"));
        assert_eq!(lines.of("initialize").len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_names_its_revision_is_asked_once_more() {
    let script = |refusals: usize| {
        let asked = AtomicUsize::new(0);
        answering(move |line| {
            if asked.fetch_add(1, Ordering::Relaxed) < refusals {
                return unsupported(&["2026-07-28"]);
            }
            plain(line, &json!({})).unwrap()
        })
    };
    let (client, lines) = connect(script(1)).await;
    assert_eq!(client.unwrap().greeting().era(), Era::Stateless);
    assert_eq!(lines.methods(), ["server/discover", "server/discover"]);
    let (client, lines) = connect(script(9)).await;
    assert_eq!(client.unwrap().greeting().era(), Era::Initialize);
    assert_eq!(lines.of("server/discover").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_slow_server_that_refuses_initialize_is_asked_again() {
    let asked = Arc::new(AtomicUsize::new(0));
    let script: Script = Arc::new(move |line| match line["method"].as_str() {
        Some("server/discover") if asked.fetch_add(1, Ordering::Relaxed) == 0 => Vec::new(),
        Some("initialize") => error(-32022, "this connection is stateless"),
        _ => plain(line, &json!({})).unwrap_or_default(),
    });
    let (client, lines) = connect(script).await;
    assert_eq!(client.unwrap().greeting().era(), Era::Stateless);
    assert_eq!(lines.of("server/discover").len(), 2);
    assert!(lines.of("notifications/initialized").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_that_refuses_initialize_is_not_asked_again() {
    let script: Script = Arc::new(|line| match line["method"].as_str() {
        Some("server/discover") => Vec::new(),
        _ => error(-32600, "no"),
    });
    let (client, lines) = connect(script).await;
    assert!(client.is_err());
    assert_eq!(lines.of("server/discover").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_error_of_the_stateless_era_is_final() {
    for code in [-32020, -32021] {
        let (client, lines) = connect(answering(move |_| error(code, "no"))).await;
        assert!(client.unwrap_err().to_string().contains(&code.to_string()));
        assert_eq!(lines.methods(), ["server/discover"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_known_era_is_not_probed() {
    let script: Script = Arc::new(|line| plain(line, &json!({})).unwrap_or_default());
    let known = EraChoice::Known(Era::Initialize);
    let (client, lines) = scripted::connect(script, builder(), known).await;
    assert_eq!(client.unwrap().greeting().era(), Era::Initialize);
    assert_eq!(lines.methods()[0], "initialize");
    let legacy = answering(|_| error(-32601, "method not found"));
    let (client, lines) = scripted::connect(legacy, builder(), EraChoice::Known(Era::Stateless)).await;
    assert!(client.is_err());
    assert_eq!(lines.methods(), ["server/discover"], "there is no other way then");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_on_the_probe_is_reported() {
    let ((input, output), server) = memory::pair();
    tokio::spawn(async move { RawPeer::new(server).next_text().await });
    let client = within(builder().era(EraChoice::AUTO).connect(input, output)).await;
    assert!(matches!(client.unwrap_err(), ClientError::Handshake(HandshakeError::EndedByProbe)));
}

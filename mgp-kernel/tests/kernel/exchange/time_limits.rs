//! The time limits that have names of their own: the wait for a turn, the listing of tools, and calls with progress.

use crate::{
    raw_host::As,
    raw_server::{RawServer, result, says},
    support::{START_LIMIT, Signals, agent_test, code, json, number, pause_clock, spec, start, within},
};
use mgp_kernel::{Era, Kernel};
use mgp_types::{
    error::ErrorCode,
    lifecycle::{RestartPolicy, ServerState},
};
use serde_json::json as value;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

#[tokio::test]
async fn a_call_waits_in_the_queue_no_longer_than_the_queue_s_limit() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        (spec.max_concurrent, spec.call_timeout) = (1, Duration::from_secs(60));
        spec.queue_timeout = Duration::from_secs(3);
        kernel.server(spec)
    })
    .await;
    let host = setup.host().await;
    let called = tokio::time::Instant::now();
    let running = host.start_tool("hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    // From here on a minute takes no time.
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    let last = host.start_tool("add", json(r#"{"a":1,"b":1}"#)).await.unwrap();
    let refused = last.reply().await.unwrap_err();
    assert_eq!((code(&refused), began.elapsed().as_secs()), (number(ErrorCode::ResourceExhausted), 3));
    assert!(refused.to_string().contains("within 3s (servers[].mgp.queue_timeout_ms)"), "{refused}");
    assert_eq!(code(&running.reply().await.unwrap_err()), number(ErrorCode::Timeout));
    // The limit of the call that runs is its own, and began with it.
    assert!(called.elapsed() >= Duration::from_secs(60) && began.elapsed() < Duration::from_secs(61));
}

#[tokio::test]
async fn progress_restarts_the_limit_of_a_call_up_to_the_total() {
    let since_progress = "did not end within 60s after its last progress (servers[].mgp.call_timeout_ms)";
    for (most, reports, seconds, part, asks) in [
        (600, 3, 180, since_progress, true),
        // The host wants no progress, and the server is asked for it all the same.
        (600, 1, 100, since_progress, false),
        (150, 9, 150, "did not end within 150s (servers[].mgp.call_max_ms)", true),
        (0, 9, 60, "did not end within 60s (servers[].mgp.call_timeout_ms)", true),
    ] {
        let server = RawServer::new(Era::Initialize, value!({"tools": {}}), |message| {
            (message["method"] == "tools/call").then(Vec::new)
        });
        let setup = start(|kernel, _| {
            let mut spec = server.spec("slow");
            (spec.call_timeout, spec.call_max) = (Duration::from_secs(60), Duration::from_secs(most));
            kernel.server(spec)
        })
        .await;
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        let meta = if asks { value!({"progressToken": "p"}) } else { value!({}) };
        let params = value!({"name": "work", "arguments": {}, "_meta": meta});
        let call = host.send("tools/call", params).await;
        let read = server.has_read("tools/call", 1).await.remove(0);
        let token = read["params"]["_meta"]["progressToken"].clone();
        assert_eq!(token, read["id"], "the server is asked for progress under the kernel's id");
        let _paused = pause_clock();
        let began = tokio::time::Instant::now();
        let reporting = async {
            for progress in 1..=reports {
                tokio::time::sleep(Duration::from_secs(40)).await;
                let params = value!({"progressToken": token, "progress": progress});
                server.say(says(None, "notifications/progress", params));
            }
            std::future::pending::<()>().await;
        };
        let answer = tokio::select! {
            answer = host.answer_to(call) => answer,
            () = reporting => unreachable!("it does not end"),
        };
        assert!(answer["error"]["message"].as_str().unwrap().contains(part), "{answer}");
        assert_eq!(host.count("notifications/progress") > 0, asks);
        let took = began.elapsed();
        assert!(took.abs_diff(Duration::from_secs(seconds)) < Duration::from_secs(1), "{took:?}");
    }
}

/// A server that lists its tools while `lists` says so, and otherwise never answers `tools/list`.
fn listing(lists: &Arc<AtomicBool>) -> RawServer {
    let lists = lists.clone();
    RawServer::new(Era::Initialize, value!({"tools": {"listChanged": true}}), move |message| {
        match &message["method"] {
            method if method == "tools/list" && !lists.load(Ordering::SeqCst) => Some(Vec::new()),
            method if method == "tools/call" => {
                Some(vec![result(message, value!({"content": [{"type": "text", "text": "done"}]}))])
            }
            _ => None,
        }
    })
}

#[tokio::test]
async fn a_server_that_lists_its_tools_too_late_names_the_key() {
    let server = listing(&Arc::default());
    let mut spec = server.spec("mute");
    spec.discovery_timeout = Duration::from_millis(20);
    spec.restart.restart_policy = RestartPolicy::Never;
    let kernel = Kernel::builder()
        .server(spec)
        .server(self::spec("test", &Signals::default()))
        .config(agent_test)
        .start();
    let kernel = kernel.await.unwrap();
    assert_eq!(kernel.ready(START_LIMIT).await, ["mute"]);
    let reason = kernel.servers()[0].status().reason;
    assert!(
        reason.contains("took longer than 20ms to list its tools (servers[].mgp.discovery_timeout_ms)"),
        "{reason}"
    );
}

#[tokio::test]
async fn a_server_that_cannot_list_its_tools_again_keeps_the_old_ones() {
    let lists = Arc::new(AtomicBool::new(true));
    let server = listing(&lists);
    let setup = start(|kernel, _| kernel.server(server.spec("later"))).await;
    let host = setup.host().await;
    lists.store(false, Ordering::SeqCst);
    let before = server.read_of("tools/list").len();
    server.say(value!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
    // The second attempt comes after the first has met its limit, for which the clock runs ahead.
    let paused = pause_clock();
    server.has_read("tools/list", before + 2).await;
    drop(paused);
    within(host.call_tool("work", json("{}"))).await.unwrap();
    assert_eq!(setup.kernel.servers()[0].status().state, ServerState::Connected);
}

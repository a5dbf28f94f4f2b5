//! §14.6 A server that is killed again and again while a host calls a tool that may run twice: every call is answered once, and the audit
//! trail has each retry.

use crate::{
    raw_host::{As, RawHost},
    support::{start, within},
    upstream::any_order::{kill, signal, spec},
};
use mgp_kernel::Era;
use mgp_security::audit::MemorySink;
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditResult},
    lifecycle::ServerState,
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};
use uuid::Uuid;

/// The number of calls.
const CALLS: usize = 1000;
/// The number of calls that run at once.
const AT_ONCE: usize = 32;
/// The server is killed whenever so many calls more are answered.
const KILLED_EACH: usize = 200;

/// Returns the params of a call with this number.
fn work(number: usize) -> Value {
    let trace = format!("00-{number:032x}-00000000000000aa-01");
    json!({"name": "work", "arguments": {}, "_meta": {"traceparent": trace}})
}

/// The calls of a host.
#[derive(Default)]
struct Calls {
    sent: usize,
    answered: usize,
    /// The ids of the calls without an answer.
    open: BTreeSet<i64>,
}

impl Calls {
    async fn send(&mut self, host: &mut RawHost) {
        self.sent += 1;
        self.open.insert(host.send("tools/call", work(self.sent)).await);
    }

    /// Notes the answer of a call. Returns whether the message is one.
    fn note(&mut self, message: &Value) -> bool {
        let Some(id) = message["id"].as_i64() else { return false };
        assert!(self.open.remove(&id), "a second answer, or one that nobody asked for: {message}");
        assert_eq!(message["result"]["content"][0]["text"], "done", "{message}");
        self.answered += 1;
        true
    }
}

/// Returns the number of attempts that a call's event tells.
fn attempts(event: &AuditEvent) -> u64 {
    let told = event.details.as_ref().and_then(|details| details.decode("attempts").ok().flatten());
    told.unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn repeatable_calls_are_answered_once_while_their_server_dies() {
    let (mark, sink) = (format!("mgp-killed-{}", Uuid::new_v4()), MemorySink::new(10 * CALLS));
    let setup = start(|kernel, _| {
        let mut spec = spec("a", &mark);
        spec.idempotent = vec!["work".to_owned()];
        spec.restart.max_restarts = 100;
        // On a busy machine, one call may be lost with the server several times.
        spec.retries.max_retries = 10;
        spec.call_timeout = Duration::from_secs(120);
        kernel.server(spec).audit_sink(sink.clone())
    })
    .await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let mut calls = Calls::default();
    while calls.answered < CALLS {
        while calls.sent < CALLS && calls.open.len() < AT_ONCE {
            calls.send(&mut host).await;
        }
        let message = host.next().await;
        if calls.note(&message) && calls.answered % KILLED_EACH == 0 && calls.answered < CALLS {
            let server = setup.kernel.servers()[0].clone();
            let up = |status: &mgp_kernel::ServerStatus| status.state == ServerState::Connected;
            within(server.watch_status().wait_for(up)).await.unwrap();
            // A stopped server answers nothing: the call that comes now is lost with it.
            signal(&mark, "-STOP");
            calls.send(&mut host).await;
            within(async {
                // The answers that it has given are read meanwhile.
                while server.in_flight() + server.queued() != calls.open.len() {
                    tokio::select! {
                        message = host.next() => { calls.note(&message); }
                        () = tokio::time::sleep(Duration::from_millis(5)) => {}
                    }
                }
            })
            .await;
            kill(&mark);
        }
    }
    // Nothing comes after the last answer.
    let ping = host.send("ping", json!({})).await;
    assert_eq!(host.answer_to(ping).await["result"], json!({}));
    assert_eq!(host.read.iter().filter(|message| message.get("result").is_some()).count(), CALLS + 1);
    within(setup.kernel.shutdown()).await;

    let events = sink.events();
    let mut calls: BTreeMap<&str, u64> = BTreeMap::new();
    let executed = events.iter().filter(|event| event.event_type == AuditEventType::ToolExecuted);
    for event in executed {
        assert_eq!(event.result, AuditResult::Success, "{event:?}");
        let trace = event.trace_id.get().unwrap();
        assert_eq!(calls.insert(trace, attempts(event)), None, "a call has two events: {event:?}");
    }
    assert_eq!(calls.len(), CALLS);
    let mut retries: BTreeMap<&str, u64> = BTreeMap::new();
    for event in events.iter().filter(|event| event.event_type.as_str() == "dev.cloto.mgp.TOOL_RETRIED") {
        *retries.entry(event.trace_id.get().unwrap()).or_default() += 1;
    }
    // A call that found the server down was retried too, and was not sent before.
    let sent_again = calls.iter().filter(|(_, attempts)| **attempts > 1).count();
    assert!(sent_again > 0, "no call was lost with its server: {retries:?}");
    for (trace, attempts) in calls {
        let retries = retries.remove(trace).unwrap_or_default();
        assert!((1..=retries + 1).contains(&attempts), "{trace}: {attempts} attempts, {retries} retries");
    }
    assert_eq!(retries, BTreeMap::new(), "retries of calls that nobody made");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_during_a_slow_end_reaches_the_next_process() {
    let mark = format!("mgp-hanging-{}", Uuid::new_v4());
    let setup = start(|kernel, _| {
        let mut spec = spec("a", &mark);
        spec.call_timeout = Duration::from_secs(120);
        kernel.server(spec)
    })
    .await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let lost = host.refused("tools/call", json!({"name": "hang", "arguments": {}})).await;
    assert!(lost["message"].as_str().unwrap().contains("before it had answered"), "{lost}");
    // The connection has ended, and the process of the server ends only when it is killed.
    assert_eq!(host.text("work", json!({})).await, "done");
}

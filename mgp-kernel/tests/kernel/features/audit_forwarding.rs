//! Stored events are forwarded to the hosts of operators and to the audit server.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, says, text},
    support::{idle, ready, until_some},
};
use mgp_kernel::{Era, Kernel};
use mgp_security::audit::{AuditDatabase, AuditLog, AuditLogConfig, Confirmation};
use mgp_store::sql::SqlStore;
use mgp_types::context::{ActorType, Principal};
use serde_json::{Value, json};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use xtask_testing::databases;

const AUDIT: &str = "notifications/mgp.audit";

fn log(folder: &Path) -> AuditLog {
    AuditLog::open(folder.join("audit.sqlite3"), &AuditLogConfig::default()).unwrap()
}

/// Returns a server with a tool `work`.
fn worker() -> RawServer {
    RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, "done")])
    })
}

/// Returns a server that negotiates `audit`, and answers pings while `answers` is true.
fn auditor(answers: Arc<AtomicBool>) -> RawServer {
    let mgp = json!({"version": "0.6.0", "extensions": ["audit"], "server_id": "auditor"});
    RawServer::new(Era::Initialize, json!({"tools": {}, "mgp": mgp}), move |message| {
        (message["method"] == "ping" && !answers.load(Ordering::Acquire)).then(Vec::new)
    })
}

async fn start(folder: &Path, servers: &[(&str, &RawServer)]) -> Kernel {
    start_with(log(folder), servers).await
}

async fn start_with(log: AuditLog, servers: &[(&str, &RawServer)]) -> Kernel {
    let has_auditor = servers.iter().any(|(id, _)| *id == "auditor");
    let builder = Kernel::builder().audit_sink(log).config(|config| {
        config.audit.server = has_auditor.then(|| "auditor".into());
        config.kernel.agent = "agent.test".into();
    });
    let builder = servers.iter().fold(builder, |builder, (id, server)| builder.server(server.spec(id)));
    let kernel = builder.start().await.unwrap();
    ready(&kernel).await;
    kernel
}

fn operator(era: Era) -> As {
    As { principal: Principal::new("operator.test", ActorType::Operator, true), ..As::mgp(era) }
}

/// Returns the numbers of the events in notifications.
fn numbers(notifications: &[Value]) -> Vec<u64> {
    notifications.iter().map(|event| event["params"]["_mgp"]["seq"].as_u64().unwrap()).collect()
}

/// Hears events up to one of a type, and returns them.
async fn hear_up_to(host: &mut RawHost, event_type: &str) -> Vec<Value> {
    let mut heard = Vec::new();
    loop {
        let event = host.hear(AUDIT).await;
        let is_last = event["params"]["event_type"] == event_type;
        heard.push(event);
        if is_last {
            return heard;
        }
    }
}

#[tokio::test]
async fn only_an_operator_s_host_with_audit_receives_events() {
    let folder = tempfile::tempdir().unwrap();
    let server = worker();
    let kernel = start(folder.path(), &[("srv", &server)]).await;
    let mut of_operator = RawHost::connect(&kernel, operator(Era::Initialize)).await;
    let plain = As { mgp: false, ..operator(Era::Initialize) };
    let mut plain = RawHost::connect(&kernel, plain).await;
    let mut of_agent = RawHost::connect(&kernel, As::mgp(Era::Initialize)).await;
    of_agent.call("work", json!({})).await;
    let heard = hear_up_to(&mut of_operator, "TOOL_EXECUTED").await;
    assert_eq!(heard.last().unwrap()["params"]["actor"]["id"], "agent.test");
    let first = numbers(&heard)[0];
    assert_eq!(numbers(&heard), (first..first + heard.len() as u64).collect::<Vec<_>>());
    // What the host may have missed is read by the same numbers.
    let replayed = of_operator.get("mgp/audit/replay", json!({"since_seq": first - 1})).await;
    assert_eq!(replayed["events"].as_array().unwrap().len(), heard.len());
    for other in [&mut plain, &mut of_agent] {
        other.ask("ping", json!({})).await;
        assert_eq!(other.count(AUDIT), 0);
    }
}

#[tokio::test]
async fn an_operator_s_host_gets_events_of_all_kernels_of_a_database() {
    for database in databases(AuditDatabase::SCHEMA).await {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [near, far] =
            [(&folders[0], &database.here), (&folders[1], &database.there)].map(|(folder, handle)| {
                let copies = AuditDatabase::new(handle.clone());
                log(folder.path()).with_database(copies, Confirmation::Local, None)
            });
        let far_id = far.id().await.unwrap();
        let server = worker();
        let near = start_with(near, &[]).await;
        let far = start_with(far, &[("srv", &server)]).await;
        let mut of_operator = RawHost::connect(&near, operator(Era::Initialize)).await;
        let mut of_agent = RawHost::connect(&far, As::mgp(Era::Initialize)).await;
        of_agent.call("work", json!({})).await;
        let event = hear_up_to(&mut of_operator, "TOOL_EXECUTED").await.pop().unwrap();
        assert_eq!(event["params"]["_mgp"]["trail"], *far_id, "{}", database.engine);
        // An event that it may have missed is read by the same trail and number.
        let number = event["params"]["_mgp"]["seq"].as_u64().unwrap();
        let replay = json!({"trail": far_id, "since_seq": number - 1});
        let replayed = of_operator.get("mgp/audit/replay", replay).await;
        assert_eq!(replayed["events"][0], event["params"]);
    }
}

#[tokio::test]
async fn only_an_operator_can_subscribe_to_events_statelessly() {
    let folder = tempfile::tempdir().unwrap();
    let server = worker();
    let kernel = start(folder.path(), &[("srv", &server)]).await;
    let listen = json!({"notifications": {"dev.cloto/mgp": {"audit": true}}});
    let acknowledged = "notifications/subscriptions/acknowledged";
    let mut of_operator = RawHost::connect(&kernel, operator(Era::Stateless)).await;
    of_operator.send("subscriptions/listen", listen.clone()).await;
    let granted = of_operator.hear(acknowledged).await;
    assert_eq!(granted["params"]["notifications"]["dev.cloto/mgp"], json!({"audit": true}));
    let mut of_agent = RawHost::connect(&kernel, As::mgp(Era::Stateless)).await;
    of_agent.send("subscriptions/listen", listen).await;
    let refused = of_agent.hear(acknowledged).await;
    assert_eq!(refused["params"]["notifications"].get("dev.cloto/mgp"), None);
    of_agent.call("work", json!({})).await;
    hear_up_to(&mut of_operator, "TOOL_EXECUTED").await;
    assert_eq!(of_agent.count(AUDIT), 0);
}

#[tokio::test]
async fn the_audit_server_gets_all_stored_events_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let (server, auditor) = (worker(), auditor(Arc::new(AtomicBool::new(true))));
    let kernel = start(folder.path(), &[("srv", &server), ("auditor", &auditor)]).await;
    let mut host = RawHost::connect(&kernel, As::plain(Era::Initialize)).await;
    for _ in 0..5 {
        host.call("work", json!({})).await;
    }
    // Two servers that connected, and five calls.
    let events = auditor.has_read(AUDIT, 7).await;
    assert_eq!(numbers(&events), (1..=7).collect::<Vec<_>>());
}

#[tokio::test]
async fn events_that_were_not_certainly_read_are_sent_again() {
    let folder = tempfile::tempdir().unwrap();
    let answers = Arc::new(AtomicBool::new(false));
    let (server, auditor) = (worker(), auditor(answers.clone()));
    let kernel = start(folder.path(), &[("srv", &server), ("auditor", &auditor)]).await;
    auditor.has_read("ping", 1).await;
    let before = numbers(&auditor.read_of(AUDIT));
    assert_eq!(before[0], 1);
    answers.store(true, Ordering::Release);
    auditor.hang_up();
    let all = numbers(&auditor.has_read(AUDIT, before.len() * 2 + 1).await);
    let (first, again) = all.split_at(before.len());
    assert_eq!(first, before);
    assert_eq!(again, (1..=again.len() as u64).collect::<Vec<_>>());
    let unreceived = async || {
        let page = log(folder.path()).unreceived("auditor", 1000).await.unwrap();
        page.events.first().map(|event| event.seq().unwrap())
    };
    // A shutdown before the answer to the ping is noted would have the events sent once more.
    let is_noted = async || unreceived().await.is_none_or(|first| first > before.len() as u64);
    until_some(async || is_noted().await.then_some(())).await;
    auditor.has_read("ping", 2).await;
    kernel.shutdown().await;

    // A later kernel goes on where this one ended.
    let acknowledged = unreceived().await.expect("the end of a server's connection is an event");
    assert!(acknowledged > before.len() as u64, "{acknowledged}");
    let read = auditor.read_of(AUDIT).len();
    let _later = start(folder.path(), &[("auditor", &auditor)]).await;
    let events = auditor.has_read(AUDIT, read + 1).await;
    assert_eq!(numbers(&events)[read], acknowledged);
}

#[tokio::test]
async fn an_audit_server_is_not_sent_its_own_events() {
    let folder = tempfile::tempdir().unwrap();
    let auditor = auditor(Arc::new(AtomicBool::new(true)));
    let kernel = start(folder.path(), &[("auditor", &auditor)]).await;
    let own = json!({"timestamp": "2026-01-01T00:00:00Z", "event_type": "org.example.STORED",
        "actor": {"type": "server", "id": "auditor"}, "result": "SUCCESS"});
    auditor.say(says(None, AUDIT, own));
    let log = log(folder.path());
    until_some(async || log.unreceived("", 1000).await.unwrap().events.into_iter().nth(1)).await;
    let mut host = RawHost::connect(&kernel, operator(Era::Initialize)).await;
    host.refused("tools/call", json!({"name": "none"})).await;
    let events = auditor.has_read(AUDIT, 2).await;
    assert_eq!(numbers(&events), [1, 3]);
}

#[tokio::test]
async fn one_of_two_kernels_forwards_the_trail_until_the_other_does() {
    let folder = tempfile::tempdir().unwrap();
    let answers = || Arc::new(AtomicBool::new(true));
    let (server, near, far) = (worker(), auditor(answers()), auditor(answers()));
    let first = start(folder.path(), &[("srv", &server), ("auditor", &near)]).await;
    near.has_read(AUDIT, 2).await;
    let second = start(folder.path(), &[("auditor", &far)]).await;
    let mut host = RawHost::connect(&first, As::plain(Era::Initialize)).await;
    for _ in 0..5 {
        host.call("work", json!({})).await;
    }
    near.has_read(AUDIT, 8).await;
    assert_eq!(numbers(&near.read_of(AUDIT)), (1..=8).collect::<Vec<_>>());
    assert_eq!(numbers(&far.read_of(AUDIT)), Vec::<u64>::new());
    first.shutdown().await;
    let last = *numbers(&near.read_of(AUDIT)).last().unwrap();
    let mut host = RawHost::connect(&second, operator(Era::Initialize)).await;
    host.refused("tools/call", json!({"name": "none"})).await;
    let events = numbers(&far.has_read(AUDIT, 1).await);
    assert!(events[0] <= last + 1, "{events:?} after {last}");
}

#[tokio::test]
async fn a_lazy_audit_server_with_few_calls_gets_events() {
    let folder = tempfile::tempdir().unwrap();
    let (server, auditor) = (worker(), auditor(Arc::new(AtomicBool::new(true))));
    let mut spec = auditor.spec("auditor");
    (spec.lazy, spec.idle_timeout) = (true, Some(Duration::from_millis(20)));
    let builder = Kernel::builder().audit_sink(log(folder.path())).config(|config| {
        config.audit.server = Some("auditor".into());
        config.kernel.agent = "agent.test".into();
    });
    let kernel = builder.server(server.spec("srv")).server(spec).start().await.unwrap();
    ready(&kernel).await;
    idle().await;
    let mut host = RawHost::connect(&kernel, As::plain(Era::Initialize)).await;
    host.call("work", json!({})).await;
    let events = auditor.has_read(AUDIT, 3).await;
    assert_eq!(numbers(&events), [1, 2, 3]);
    assert_eq!(auditor.read_of("initialize").len(), 1);
}

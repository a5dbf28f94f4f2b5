//! An audit trail that cannot be written stops calls before they reach a server, until a write works again.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, text},
    support::{agent_test, ready, until_some, within},
};
use mgp_kernel::{Era, Kernel, KernelBuilder};
use mgp_security::audit::{AuditFilter, AuditLog, AuditLogConfig, JournalMode};
use mgp_types::{audit::AuditEvent, context::Principal, lifecycle::ServerState};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::TempDir;

/// A kernel whose trail stands in a file, in front of a server that counts its calls.
struct Rig {
    folder: TempDir,
    server: RawServer,
    kernel: Kernel,
}

impl Rig {
    /// Starts a kernel that writes each event to the file before it answers the call.
    async fn start() -> Self {
        Self::start_with(JournalMode::Store).await
    }

    async fn start_with(journal: JournalMode) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = AuditLogConfig { journal, ..AuditLogConfig::default() };
        let log = AuditLog::open(folder.path().join("audit.sqlite3"), &config).unwrap();
        let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
            (message["method"] == "tools/call").then(|| vec![text(message, "done")])
        });
        let builder: KernelBuilder = Kernel::builder().audit_sink(log).config(agent_test);
        let kernel = builder.server(server.spec("srv")).start().await.unwrap();
        ready(&kernel).await;
        Self { folder, server, kernel }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("audit.sqlite3")
    }

    async fn host(&self) -> RawHost {
        RawHost::connect(&self.kernel, As::mgp(Era::Initialize)).await
    }

    /// Returns the number of calls that reached the server.
    fn reached(&self) -> usize {
        self.server.read_of("tools/call").len()
    }

    /// The events in the file, as `TYPE RESULT`, with the details of each.
    fn stored(&self) -> Vec<(String, Value)> {
        let connection = Connection::open(self.file()).unwrap();
        let mut select = connection.prepare("SELECT event FROM events ORDER BY seq").unwrap();
        let rows = select.query_map([], |row| row.get::<_, String>(0)).unwrap();
        let event = |row: rusqlite::Result<String>| {
            let event: AuditEvent = serde_json::from_str(&row.unwrap()).unwrap();
            let details = event.details.map_or(Value::Null, |it| serde_json::to_value(it).unwrap());
            (format!("{} {}", event.event_type, event.result), details)
        };
        rows.map(event).collect()
    }

    /// The details of the events of a type.
    fn details(&self, kind: &str) -> Vec<Value> {
        let of_it = |(line, details): (String, Value)| line.starts_with(kind).then_some(details);
        self.stored().into_iter().filter_map(of_it).collect()
    }

    /// Returns the number of calls that the file knows to have run.
    fn executed(&self) -> usize {
        self.details("TOOL_EXECUTED SUCCESS").len()
    }
}

async fn call(host: &mut RawHost) -> Value {
    host.once("tools/call", json!({"name": "work", "arguments": {}})).await
}

/// Makes calls until one is not refused. Returns the number of those that were.
async fn refused_until_stored(host: &mut RawHost) -> u64 {
    let mut refused = 0;
    until_some(async || {
        let is_refused = call(host).await.get("error").is_some();
        refused += u64::from(is_refused);
        (!is_refused).then_some(())
    })
    .await;
    refused
}

/// Lets every write of an event fail, as a full disk does.
fn fill(file: &Path) {
    let full = "CREATE TRIGGER full BEFORE INSERT ON events
                BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END";
    Connection::open(file).unwrap().execute_batch(full).unwrap();
}

fn empty(file: &Path) {
    Connection::open(file).unwrap().execute_batch("DROP TRIGGER full").unwrap();
}

#[tokio::test]
async fn after_an_unstored_event_no_call_is_sent_until_one_is_stored() {
    let rig = Rig::start().await;
    let mut host = rig.host().await;
    assert!(call(&mut host).await.get("result").is_some());
    fill(&rig.file());
    // Nothing has failed yet, so this one runs, and its answer is kept back.
    assert_eq!((call(&mut host).await["error"]["code"].as_i64(), rig.reached()), (Some(-32603), 2));
    for _ in 0..5 {
        let refused = call(&mut host).await["error"].clone();
        let advice = &refused["data"]["_mgp"];
        assert_eq!((refused["code"].as_i64(), rig.reached()), (Some(3001), 2), "{refused}");
        assert_eq!((&advice["category"], &advice["retryable"]), (&json!("resource"), &json!(true)));
        assert!(advice["retry_after_ms"].as_u64().is_some(), "{refused}");
        assert_eq!(advice["details"]["resource"], "audit");
        assert!(refused["message"].as_str().unwrap().contains("database or disk is full"), "{refused}");
    }
    let resource = host.once("resources/read", json!({"uri": "mem://x"})).await;
    assert!(resource.get("error").is_some(), "{resource}");
    empty(&rig.file());
    let refused = 5 + refused_until_stored(&mut host).await;
    assert_eq!((rig.reached(), rig.executed()), (3, 2));
    let interruptions = rig.details("dev.cloto.mgp.AUDIT_INTERRUPTED");
    let sum = |name: &str| interruptions.iter().map(|it| it[name].as_u64().unwrap()).sum::<u64>();
    // One call ran without an event; and one refusal of a resource could not be stored.
    assert_eq!((sum("events_failed"), sum("calls_refused")), (2, refused), "{interruptions:?}");
}

#[tokio::test]
async fn a_journal_that_cannot_be_emptied_stops_calls() {
    let rig = Rig::start_with(JournalMode::Local).await;
    let mut host = rig.host().await;
    let log = rig.kernel.audit_log().unwrap().clone();
    log.flush().await.unwrap();
    fill(&rig.file());
    // Calls are answered while only their journal has their events, until the thread of the index fails.
    // It may fail during a call, whose answer is then kept back.
    let (mut answered, mut kept_back) = (0, 0);
    let refused = until_some(async || {
        let answer = call(&mut host).await;
        answered += usize::from(answer.get("result").is_some());
        kept_back += usize::from(answer["error"]["code"] == -32603);
        answer.get("error").filter(|error| error["code"] == 3001).cloned()
    })
    .await;
    assert_eq!(rig.reached(), answered + kept_back, "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("database or disk is full"), "{refused}");
    empty(&rig.file());
    refused_until_stored(&mut host).await;
    log.flush().await.unwrap();
    assert_eq!(rig.reached(), answered + kept_back + 1);
    assert!((answered + 1..=answered + kept_back + 1).contains(&rig.executed()));
    assert!(!rig.details("dev.cloto.mgp.AUDIT_INTERRUPTED").is_empty());
}

#[tokio::test]
async fn a_server_is_not_stopped_if_that_cannot_be_recorded() {
    let rig = Rig::start().await;
    let operator = As { principal: Principal::operator("ann"), ..As::mgp(Era::Initialize) };
    let mut operator = RawHost::connect(&rig.kernel, operator).await;
    let stop = json!({"server_id": "srv", "action": "stop"});
    fill(&rig.file());
    let refused = operator.once("dev.cloto/server/control", stop.clone()).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    assert_eq!(rig.kernel.servers()[0].status().state, ServerState::Connected);
    empty(&rig.file());
    let stopped = operator.once("dev.cloto/server/control", stop).await;
    assert_eq!(stopped["result"]["state"], "disconnected", "{stopped}");
}

#[tokio::test]
async fn a_foreign_lock_stops_new_calls_and_loses_no_events() {
    // The events wait for the lock, however long the test holds it.
    mgp_store::sqlite::set_lock_timeout(Duration::from_secs(120));
    let rig = Rig::start().await;
    let mut host = rig.host().await;
    assert!(call(&mut host).await.get("result").is_some());
    let other = Connection::open(rig.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut waiting = Vec::new();
    // None is answered before it is refused, or the lock is gone.
    let refused = within(async {
        loop {
            waiting.push(host.send("tools/call", json!({"name": "work", "arguments": {}})).await);
            let pause = tokio::time::sleep(Duration::from_millis(20));
            tokio::pin!(pause);
            loop {
                let message = tokio::select! {
                    // First, so that the first refusal is seen before another call is made.
                    biased;
                    message = host.next() => message,
                    () = &mut pause => break,
                };
                if message.get("id").is_some() {
                    return message;
                }
            }
        }
    })
    .await;
    assert_eq!(refused["error"]["code"], 3001, "{refused}");
    assert_eq!(call(&mut host).await["error"]["code"], 3001);
    other.execute_batch("COMMIT").unwrap();
    let mut answered = 0;
    for id in waiting {
        if refused["id"] != id {
            let answer = host.answer_to(id).await;
            answered += usize::from(answer.get("result").is_some());
        }
    }
    // Those that were refused did not reach the server.
    assert_eq!((answered + 1, rig.executed()), (rig.reached(), rig.reached()));
    refused_until_stored(&mut host).await;
}

#[tokio::test]
async fn a_removed_trail_is_restarted_and_reports_its_losses() {
    for leftovers in [false, true] {
        let rig = Rig::start().await;
        let mut host = rig.host().await;
        for _ in 0..3 {
            assert!(call(&mut host).await.get("result").is_some());
        }
        let before = rig.stored().len();
        fs::remove_file(rig.file()).unwrap();
        if !leftovers {
            for end in ["-wal", "-shm"] {
                fs::remove_file(rig.folder.path().join(format!("audit.sqlite3{end}"))).unwrap();
            }
        }
        for count in 1..=20 {
            assert!(call(&mut host).await.get("result").is_some());
            assert_eq!(rig.executed(), count, "leftovers: {leftovers}");
        }
        let lost = rig.details("dev.cloto.mgp.AUDIT_FILE_REPLACED FAILURE");
        assert_eq!(lost.len(), 1);
        assert_eq!(lost[0]["events_stored"], before, "{lost:?}");
        // Who follows by numbers misses nothing, and the kernel reads the file that is there.
        let log = rig.kernel.audit_log().unwrap();
        let events = log.latest(AuditFilter { last: 1000, ..AuditFilter::default() }).await.unwrap();
        assert_eq!(events.len(), 21);
        assert!(events[0].seq().unwrap() > before as u64, "{events:?}");
    }
}

#[tokio::test]
async fn a_trail_without_its_folder_stops_calls_until_it_is_back() {
    let rig = Rig::start().await;
    let mut host = rig.host().await;
    assert!(call(&mut host).await.get("result").is_some());
    let aside = tempfile::tempdir().unwrap();
    let moved = aside.path().join("moved");
    fs::rename(rig.folder.path(), &moved).unwrap();
    assert_eq!((call(&mut host).await["error"]["code"].as_i64(), rig.reached()), (Some(-32603), 2));
    let refused = call(&mut host).await;
    assert_eq!((refused["error"]["code"].as_i64(), rig.reached()), (Some(3001), 2), "{refused}");
    fs::rename(&moved, rig.folder.path()).unwrap();
    let refused = 1 + refused_until_stored(&mut host).await;
    assert_eq!(rig.reached(), 3);
    // A call that is refused while the event of the outage is stored is in an event of its own.
    let told = rig.details("dev.cloto.mgp.AUDIT_INTERRUPTED FAILURE");
    let sum = |member: &str| told.iter().map(|told| told[member].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("events_failed"), sum("calls_refused")), (1, refused), "{told:?}");
}

#[tokio::test]
async fn an_unrecorded_dry_run_of_an_own_tool_is_not_answered() {
    let rig = Rig::start().await;
    let mut host = rig.host().await;
    for tool in ["work", "mgp_tools_session"] {
        let check = json!({"name": tool, "arguments": {}});
        assert_eq!(host.get("mgp/tools/check", check.clone()).await["allowed"], true, "{tool}");
        fill(&rig.file());
        let kept_back = host.get("mgp/tools/check", check.clone()).await;
        let told = (&kept_back["allowed"], &kept_back["error"]["data"]["_mgp"]["details"]["resource"]);
        assert_eq!(told, (&json!(false), &json!("audit")), "{tool}: {kept_back}");
        empty(&rig.file());
        until_some(async || {
            (host.get("mgp/tools/check", check.clone()).await["allowed"] == true).then_some(())
        })
        .await;
    }
}

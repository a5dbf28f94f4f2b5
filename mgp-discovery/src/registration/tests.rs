//! Tests of requests, of the right to register, and of the stores.

use super::{
    AddOutcome, Registrars, Registration, RegistrationRight, RegistrationStore, Registrations,
    RequestOutcome, RequestedServer, SqlRegistrationStore, SqlStore, StoreError,
};
use async_trait::async_trait;
use mgp_types::{
    context::{Principal, TrustLevel},
    discovery::RegisterServerParams,
    json::RawJson,
    rpc::RawParams,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use xtask_testing::within;

fn params(text: &str) -> RegisterServerParams {
    RawParams::from(RawJson::parse(text.to_owned()).unwrap()).decode().unwrap()
}

fn builder() -> Principal {
    Principal::agent("agent.builder")
}

fn requested(text: &str) -> Result<Registration, String> {
    Registration::requested(params(text), &builder()).map_err(|error| {
        assert_eq!(error.code, -32602, "{error}");
        error.message
    })
}

fn named(id: &str) -> Registration {
    requested(&format!(r#"{{"id":"{id}","transport":"stdio","command":"x"}}"#)).unwrap()
}

#[test]
fn a_registered_server_is_sandboxed_and_belongs_to_its_caller() {
    let text = r#"{"id":"dynamic.tool","command":"python","args":["x.py"],"transport":"stdio",
        "mgp":{"extensions":["security"],"permissions_required":["network.outbound"],"trust_level":"trusted"},
        "created_by":"ann","justification":"for the report"}"#;
    let found = requested(text).unwrap();
    let settings = found.server.settings();
    assert_eq!(settings.trust_level, Some(TrustLevel::Sandboxed));
    assert!(settings.host_features.is_empty());
    assert_eq!(settings.permissions_required, ["network.outbound"]);
    assert_eq!((found.created_by.as_str(), found.by_admin), ("agent.builder", false));
    assert_eq!(found.justification.as_deref(), Some("for the report"));
}

#[test]
fn a_request_reads_nothing_of_the_kernel_s_environment() {
    let set = std::env::vars().next().unwrap().0;
    for (field, text) in [
        ("env.KEY", r#""command":"x","env":{"KEY":"${NAME}"}"#),
        ("args[0]", r#""command":"x","args":["${NAME}"]"#),
        ("command", r#""command":"${NAME}""#),
        ("args[0]", r#""command":"x","args":["${NO_VARIABLE_OF_THIS_NAME:-${NAME}}"]"#),
        ("env.KEY", r#""command":"x","env":{"KEY":"a ${"}"#),
        ("env.KEY", r#""command":"x","env":{"KEY":"${keyring:github}"}"#),
        ("args[0]", r#""command":"x","args":["${file:/etc/NAME}"]"#),
        ("args[0]", r#""command":"x","args":["${NO_VARIABLE_OF_THIS_NAME:-${command:touch x}}"]"#),
        ("env.KEY", r#""command":"x","env":{"KEY":"${command:touch x}"}"#),
        ("env.KEY", r#""command":"x","env":{"KEY":"${command:touch 'x}"}"#),
    ] {
        let text = text.replace("NAME", &set);
        let error = requested(&format!(r#"{{"id":"a","transport":"stdio",{text}}}"#)).unwrap_err();
        assert!(
            error.contains(field) && error.contains("no variable of the gateway's environment"),
            "{error}"
        );
    }
    let found =
        requested(r#"{"id":"a","transport":"stdio","command":"sh","args":["-c","echo $${X} $Y"]}"#).unwrap();
    assert_eq!(found.server.args[1].value(), "echo ${X} $Y");
}

#[test]
fn mistakes_are_named_with_field_and_expectation() {
    let long = "x".repeat(40_000);
    for (request, expected) in [
        (
            r#"{"id":"a b","transport":"stdio","command":"x"}"#,
            r#"id: "a b" is not a server id: expected letters"#,
        ),
        (r#"{"id":"mgp","transport":"stdio","command":"x"}"#, "reserved for the gateway"),
        (
            r#"{"id":"a","transport":"pigeon","command":"x"}"#,
            r#"transport: unknown transport "pigeon": expected stdio or http"#,
        ),
        (r#"{"id":"a","transport":"stdio"}"#, "command: missing: expected the program to start"),
        (r#"{"id":"a","transport":"stdio","command":" "}"#, "command: empty"),
        (r#"{"id":"a","transport":"http"}"#, "url: missing: expected the server's address"),
        (
            r#"{"id":"a","transport":"http","url":"ftp://x"}"#,
            r#"url: a URL of scheme "ftp": expected http or https"#,
        ),
        (r#"{"id":"a","transport":"http","url":"http://u:p@x"}"#, "url: holds a user name or password"),
        (r#"{"id":"a","transport":"http","url":"http://x","command":"y"}"#, "command: has no meaning with"),
        (r#"{"id":"a","transport":"stdio","command":"x","url":"http://x"}"#, "url: has no meaning with"),
        (r#"{"id":"a","transport":"stdio","command":"x","env":{"A=B":"1"}}"#, "is not a variable name"),
        (r#"{"id":"a","transport":"stdio","command":"x","env":{"A\nB":"1"}}"#, "is not a variable name"),
        (
            r#"{"id":"a","transport":"stdio","command":"x","env":{"LD_PRELOAD":"/tmp/x.so"}}"#,
            "env.LD_PRELOAD: makes programs run other code",
        ),
        (
            r#"{"id":"a","transport":"stdio","command":"npx","env":{"node_options":"--require=/tmp/x.js"}}"#,
            "env.node_options: makes programs run other code",
        ),
        (
            r#"{"id":"a","transport":"stdio","command":"x","env":{"KEY":"a\nPATH=/tmp"}}"#,
            "env.KEY: holds a line break",
        ),
        (r#"{"id":"a","transport":"stdio","command":"x\u0000y"}"#, "command: holds a NUL character"),
        (
            r#"{"id":"a","transport":"stdio","command":"x","mgp":{"permissions_required":["shel"]}}"#,
            "mgp.permissions_required[0]",
        ),
        (
            &format!(r#"{{"id":"a","transport":"stdio","command":"{long}"}}"#),
            "command: a text of 40000 bytes: expected at most 32768",
        ),
        (
            &format!(r#"{{"id":"a","transport":"stdio","command":"x","justification":"{long}"}}"#),
            "justification: a text of 40000 bytes: expected at most 4096",
        ),
        (
            &format!(
                r#"{{"id":"a","transport":"stdio","command":"x","args":[{}""]}}"#,
                r#""","#.repeat(1000)
            ),
            "args: 1001 entries: expected at most 1000",
        ),
    ] {
        let error = requested(request).unwrap_err();
        assert!(error.contains(expected), "{}: {error}", &request[..request.len().min(100)]);
    }
}

#[test]
fn only_admins_and_agents_with_the_right_may_register() {
    let registrars = Registrars::from_iter(["agent.builder"]);
    assert_eq!(registrars.may_register(&builder()), Ok(RegistrationRight::Agent));
    assert_eq!(registrars.may_register(&Principal::operator("ann")), Ok(RegistrationRight::Admin));
    assert_eq!(registrars.may_register(&Principal::agent("other")).unwrap_err().code, 1000);
    let silent = Registrars::default();
    assert_eq!(silent.may_register(&builder()).unwrap_err().code, 1000);
}

#[test]
fn an_agent_removes_only_its_own_servers() {
    let registrars = Registrars::from_iter(["agent.builder", "agent.other"]);
    let own = named("a");
    registrars.may_deregister(&builder(), &own).unwrap();
    registrars.may_deregister(&Principal::operator("ann"), &own).unwrap();
    assert_eq!(registrars.may_deregister(&Principal::agent("agent.other"), &own).unwrap_err().code, 1000);
    // An operator with the same name is a different caller.
    let by_admin = Registration { by_admin: true, ..own };
    assert_eq!(registrars.may_deregister(&builder(), &by_admin).unwrap_err().code, 1000);
}

async fn keeps_its_promises(store: &dyn RegistrationStore) {
    let (first, second) = (named("a"), named("b"));
    assert_eq!(store.add(first.clone(), 2).await, Ok(AddOutcome::Yes));
    assert_eq!(store.add(named("a"), 2).await, Ok(AddOutcome::Taken));
    assert_eq!(store.add(second.clone(), 2).await, Ok(AddOutcome::Yes));
    assert_eq!(store.add(named("c"), 2).await, Ok(AddOutcome::Full));
    assert_eq!(store.load().await.unwrap(), [first.clone(), second.clone()]);
    let later = Registration { created_at: "2099-01-01T00:00:00Z".into(), ..first.clone() };
    assert_eq!(store.remove(&later).await, Ok(None), "another one of that id");
    assert_eq!(store.remove(&first).await, Ok(Some(first.clone())));
    assert_eq!(store.remove(&first).await, Ok(None));
    assert_eq!(store.add(first.clone(), 2).await, Ok(AddOutcome::Yes));
    assert_eq!(store.load().await.unwrap(), [second, first], "in the order of registration");
}

/// Asserts the behavior of every store for requests for servers.
async fn keeps_requests(store: &dyn RegistrationStore) {
    let kept = async |asked: Registration| match store.request(asked).await.unwrap() {
        RequestOutcome::Kept(row) => *row,
        other => panic!("{other:?}"),
    };
    let first = kept(named("a")).await;
    assert!(first.request_id.starts_with("reg-") && first.denied_by.is_none(), "{first:?}");
    assert_eq!(kept(named("a")).await.request_id, first.request_id);
    assert!(store.deny_request(&first.request_id, "ann").await.unwrap());
    assert!(!store.deny_request(&first.request_id, "ben").await.unwrap(), "it was answered");
    assert_eq!(kept(named("a")).await.denied_by.as_deref(), Some("ann"));
    let other = requested(r#"{"id":"a","transport":"stdio","command":"y"}"#).unwrap();
    let second = kept(other.clone()).await;
    let third = requested(r#"{"id":"a","transport":"stdio","command":"z"}"#).unwrap();
    let third = kept(third).await;
    let ids = |rows: Vec<RequestedServer>| rows.into_iter().map(|row| row.request_id).collect::<Vec<_>>();
    // The denial stays, and of two open requests for one id the later one counts.
    let expected = vec![first.request_id.clone(), third.request_id.clone()];
    assert_eq!(ids(store.requests().await.unwrap()), expected);
    assert_ne!(second.request_id, third.request_id);
    let theirs = Registration { created_by: "agent.other".into(), ..other };
    assert_ne!(kept(theirs).await.request_id, second.request_id);
    for i in 1..8 {
        kept(named(&format!("s{i}"))).await;
    }
    assert_eq!(store.request(named("s8")).await.unwrap(), RequestOutcome::Full(8));
    kept(named("s7")).await;
    assert_eq!(store.take_request(&first.request_id).await.unwrap(), None, "it was denied");
    assert_eq!(store.take_request(&third.request_id).await.unwrap().unwrap().request_id, third.request_id);
    assert_eq!(store.take_request(&third.request_id).await.unwrap(), None, "it was taken");
    assert!(RequestedServer::is_request_id(&first.request_id), "{first:?}");
    for other in ["reg-tools", "reg-", "reg-0123456789abcdef0123456789abcdef0123456g"] {
        assert!(!RequestedServer::is_request_id(other), "{other}");
    }
    let removed = store.remove_request(&first.request_id).await.unwrap().unwrap();
    assert_eq!((removed.registration.id(), removed.denied_by.as_deref()), ("a", Some("ann")));
    assert_eq!(store.remove_request(&first.request_id).await.unwrap(), None);
    // Of an agent's denials, the latest are kept.
    for i in 0..40 {
        let other = requested(&format!(r#"{{"id":"d{i}","transport":"stdio","command":"x"}}"#)).unwrap();
        let row = kept(Registration { created_by: "agent.denied".into(), ..other }).await;
        store.deny_request(&row.request_id, "ann").await.unwrap();
    }
    let theirs = |rows: Vec<RequestedServer>| {
        let rows = rows.into_iter().filter(|row| row.registration.created_by == "agent.denied");
        rows.map(|row| row.registration.id().to_owned()).collect::<Vec<_>>()
    };
    let denied = theirs(store.requests().await.unwrap());
    assert!(
        denied.len() <= 33 && denied.last().unwrap() == "d39" && !denied.contains(&"d0".to_owned()),
        "{denied:?}"
    );
    let old = Registration { created_at: "2020-01-01T00:00:00Z".into(), ..named("s7") };
    store.request(old).await.unwrap();
    assert!(store.requests().await.unwrap().iter().all(|row| row.registration.id() != "s7"));
}

#[tokio::test]
async fn the_memory_store_keeps_its_promises() {
    Box::pin(keeps_requests(&SqlRegistrationStore::in_memory())).await;
    keeps_its_promises(&SqlRegistrationStore::in_memory()).await;
}

#[tokio::test]
async fn a_list_follows_other_writers_of_its_store() {
    let store = Arc::new(SqlRegistrationStore::in_memory());
    let (one, two) = (
        Registrations::open(store.clone()).await.unwrap(),
        Registrations::open(store.clone()).await.unwrap(),
    );
    let mut changes = two.changes();
    assert_eq!(one.add(named("a"), 9).await, Ok(AddOutcome::Yes));
    assert!(one.find("a").is_some(), "at once where it was added");
    within(changes.changed()).await.unwrap();
    let found = two.find("a").unwrap();
    assert_eq!(one.add(named("b"), 9).await, Ok(AddOutcome::Yes));
    within(changes.changed()).await.unwrap();
    assert!(Arc::ptr_eq(&two.find("a").unwrap(), &found), "one that did not change stays the same");
}

/// A store that can be written, but not read while the test forbids it.
#[derive(Debug)]
struct UnreadableStore {
    kept: SqlRegistrationStore,
    now: AtomicBool,
}

#[async_trait]
impl RegistrationStore for UnreadableStore {
    async fn load(&self) -> Result<Vec<Registration>, StoreError> {
        if self.now.load(Ordering::Relaxed) {
            return Err(StoreError::new("disk on fire"));
        }
        self.kept.load().await
    }

    async fn add(&self, registration: Registration, limit: usize) -> Result<AddOutcome, StoreError> {
        self.kept.add(registration, limit).await
    }

    async fn remove(&self, found: &Registration) -> Result<Option<Registration>, StoreError> {
        self.kept.remove(found).await
    }

    /// As on disk: the version does not show one's own changes.
    async fn version(&self) -> Result<i64, StoreError> {
        Ok(0)
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_that_cannot_be_read_back_is_read_later() {
    let store =
        Arc::new(UnreadableStore { kept: SqlRegistrationStore::in_memory(), now: AtomicBool::new(false) });
    let list = Registrations::open(store.clone()).await.unwrap();
    let mut changes = list.changes();
    store.now.store(true, Ordering::Relaxed);
    assert_eq!(list.add(named("a"), 9).await, Ok(AddOutcome::Yes));
    assert!(list.find("a").is_none());
    // Long enough for a failed read.
    tokio::time::sleep(Duration::from_millis(250)).await;
    store.now.store(false, Ordering::Relaxed);
    within(changes.changed()).await.unwrap();
    let found = list.find("a").unwrap();
    store.now.store(true, Ordering::Relaxed);
    assert_eq!(list.remove(&found).await, Ok(true));
    store.now.store(false, Ordering::Relaxed);
    within(changes.changed()).await.unwrap();
    assert!(list.find("a").is_none());
}

#[cfg(feature = "sqlite")]
mod sql {
    use super::*;
    use crate::registration::SqlRegistrationStore;
    use xtask_testing::{SharedDatabase, databases, until_some};

    #[tokio::test]
    async fn the_store_of_each_engine_keeps_its_promises() {
        for SharedDatabase { here, .. } in databases(SqlRegistrationStore::SCHEMA).await {
            let store = SqlRegistrationStore::new(here);
            Box::pin(keeps_requests(&store)).await;
            keeps_its_promises(&store).await;
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn processes_that_add_at_once_stay_within_the_limit() {
        mgp_store::sqlite::set_lock_timeout(Duration::from_secs(120));
        for SharedDatabase { engine, here, there, .. } in databases(SqlRegistrationStore::SCHEMA).await {
            let stores = [SqlRegistrationStore::new(here), SqlRegistrationStore::new(there)];
            let mut adding = tokio::task::JoinSet::new();
            for at in 0..32 {
                let store = stores[at % 2].clone();
                // Every id comes from both processes.
                adding.spawn(async move { store.add(named(&format!("s{}", at / 2)), 5).await.unwrap() });
            }
            let outcomes = adding.join_all().await;
            let added = outcomes.iter().filter(|outcome| **outcome == AddOutcome::Yes).count();
            assert_eq!((added, stores[0].load().await.unwrap().len()), (5, 5), "{engine}");
        }
    }

    #[test]
    fn concurrent_processes_that_create_the_file_all_open_it() {
        // For the turns of all others on a busy machine.
        mgp_store::sqlite::set_lock_timeout(Duration::from_secs(120));
        for round in 0..5 {
            let folder = tempfile::tempdir().unwrap();
            let (path, ready) = (folder.path().join("x"), std::sync::Barrier::new(16));
            std::thread::scope(|scope| {
                let open = || {
                    ready.wait();
                    SqlRegistrationStore::open(&path).map(drop)
                };
                let threads: Vec<_> = (0..16).map(|_| scope.spawn(open)).collect();
                for thread in threads {
                    assert_eq!(thread.join().unwrap(), Ok(()), "round {round}");
                }
            });
        }
    }

    #[tokio::test]
    async fn another_process_reads_back_the_same_registrations() {
        for SharedDatabase { engine, here, there, .. } in databases(SqlRegistrationStore::SCHEMA).await {
            let text = r#"{"id":"a","transport":"stdio","command":"sh","args":["$${X}"],"env":{"K":"secret"},
                "mgp":{"permissions_required":["shell"]},"justification":"why"}"#;
            let found = requested(text).unwrap();
            let other = SqlRegistrationStore::new(there);
            let before = other.version().await.unwrap();
            SqlRegistrationStore::new(here).add(found.clone(), 9).await.unwrap();
            until_some(async || (other.version().await.unwrap() != before).then_some(())).await;
            let read = other.load().await.unwrap();
            assert_eq!(read, std::slice::from_ref(&found), "{engine}");
            assert_eq!(read[0].server.args[0].value(), "${X}");
            assert_eq!(read[0].server.env["K"].reveal(), "secret");
        }
    }

    #[tokio::test]
    async fn registrations_outlive_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        SqlRegistrationStore::open(&path).unwrap().add(named("a"), 9).await.unwrap();
        let read = SqlRegistrationStore::open(&path).unwrap().load().await.unwrap();
        assert_eq!(read.iter().map(Registration::id).collect::<Vec<_>>(), ["a"]);
    }

    #[tokio::test]
    async fn an_edited_row_gains_no_rights_and_a_broken_one_is_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let store = SqlRegistrationStore::open(&path).unwrap();
        for id in ["a", "b", "c", "d", "e"] {
            store.add(named(id), 9).await.unwrap();
        }
        let by_hand = rusqlite::Connection::open(&path).unwrap();
        let trusted =
            r#"{"id":"a","command":"x","mgp":{"trust_level":"trusted","host_features":["sampling"]}}"#;
        by_hand.execute("UPDATE registered SET server = ?1 WHERE id = 'a'", [trusted]).unwrap();
        by_hand.execute("UPDATE registered SET server = 'no json' WHERE id = 'b'", []).unwrap();
        by_hand
            .execute("UPDATE registered SET server = '{\"id\":\"a\",\"command\":\"x\"}' WHERE id = 'c'", [])
            .unwrap();
        for (column, id) in [("created_by", "d"), ("server", "e")] {
            let sql = format!("UPDATE registered SET {column} = CAST(x'ff' AS TEXT) WHERE id = ?1");
            by_hand.execute(&sql, [id]).unwrap();
        }
        let read = store.load().await.unwrap();
        assert_eq!(read.iter().map(Registration::id).collect::<Vec<_>>(), ["a"]);
        let settings = read[0].server.settings();
        assert_eq!(settings.trust_level, Some(TrustLevel::Sandboxed));
        assert!(settings.host_features.is_empty());
    }

    #[tokio::test]
    async fn an_unusable_registration_holds_its_id_until_removal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let store = SqlRegistrationStore::open(&path).unwrap();
        for id in ["broken", "other", "refused", "fine"] {
            store.add(named(id), 9).await.unwrap();
        }
        let by_hand = rusqlite::Connection::open(&path).unwrap();
        for (id, server) in [
            ("broken", "no json"),
            ("other", r#"{"id":"fine","command":"x"}"#),
            ("refused", r#"{"id":"refused","url":"ftp://x"}"#),
        ] {
            by_hand.execute("UPDATE registered SET server = ?2 WHERE id = ?1", [id, server]).unwrap();
        }
        let list = Registrations::open(Arc::new(store)).await.unwrap();
        assert_eq!(list.all().len(), 1);
        for id in ["broken", "other", "refused"] {
            assert_eq!(list.add(named(id), 9).await, Ok(AddOutcome::Taken), "{id}");
            assert_eq!(list.remove_unusable(id).await, Ok(true), "{id}");
            assert_eq!(list.remove_unusable(id).await, Ok(false), "{id}");
            assert_eq!(list.add(named(id), 9).await, Ok(AddOutcome::Yes), "{id}");
        }
        for id in ["fine", "nobody"] {
            assert_eq!(list.remove_unusable(id).await, Ok(false), "{id}");
        }
        assert_eq!(list.all().len(), 4);
    }
}

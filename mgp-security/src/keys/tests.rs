//! Tests of stored keys.

use super::*;
use crate::access::{AccessControl, SqlAccessStore, SqlStore};
use jiff::{SignedDuration, Timestamp};
use mgp_transport::seam::KeyRing;
use mgp_types::{
    access::DefaultPolicy,
    context::{KeyScopes, Principal},
    lifecycle::OperatorRole,
};
use std::{collections::BTreeSet, sync::Arc};
use xtask_testing::{SharedDatabase, databases, until, until_some};

fn key(name: &str, byte: u8) -> StoredKey {
    StoredKey {
        name: name.to_owned(),
        hash: [byte; 32],
        agent: "ann".to_owned(),
        admin: false,
        console: None,
        scopes: String::new(),
        created_at: Timestamp::now(),
        expires_at: None,
        last_used: None,
    }
}

async fn access() -> AccessControl {
    AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap()
}

async fn open(store: Arc<dyn KeyStore>) -> Keys {
    Keys::open(store, access().await).await.unwrap()
}

fn in_secs(secs: i64) -> Timestamp {
    Timestamp::now() + SignedDuration::from_secs(secs)
}

/// Returns two handles of a store of each kind.
async fn stores() -> Vec<(Option<SharedDatabase>, [Arc<dyn KeyStore>; 2])> {
    let memory = Arc::new(SqlKeyStore::in_memory());
    let mut stores: Vec<(_, [Arc<dyn KeyStore>; 2])> = vec![(None, [memory.clone(), memory])];
    for database in databases(SqlKeyStore::SCHEMA).await {
        let [here, there] =
            [&database.here, &database.there].map(|database| Arc::new(SqlKeyStore::new(database.clone())));
        stores.push((Some(database), [here, there]));
    }
    stores
}

/// Returns two handles to a file.
fn in_file(folder: &tempfile::TempDir) -> [Arc<SqlKeyStore>; 2] {
    [(); 2].map(|()| Arc::new(SqlKeyStore::open(folder.path().join("keys.sqlite3")).unwrap()))
}

/// Returns the number of tasks of the runtime.
fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

#[tokio::test]
async fn a_running_ring_follows_added_and_revoked_keys() {
    for (_database, [here, there]) in stores().await {
        let keys = open(here).await;
        assert!(keys.is_empty() && keys.owner(&[1; 32]).is_none());
        assert!(there.add(StoredKey { admin: true, ..key("ci", 1) }).await.unwrap());
        until(|| keys.owner(&[1; 32]).is_some()).await;
        let owner = keys.owner(&[1; 32]).unwrap();
        assert_eq!(
            (owner.principal.id(), owner.principal.is_admin(), owner.key.as_deref()),
            ("ann", true, Some("ci"))
        );
        assert!(keys.owner(&[2; 32]).is_none());
        assert!(!there.add(key("ci", 2)).await.unwrap(), "the name is taken");
        assert!(there.revoke("ci").await.unwrap() && !there.revoke("ci").await.unwrap());
        until(|| keys.owner(&[1; 32]).is_none()).await;
        assert!(!keys.is_empty(), "who revokes the last key does not let everybody in");
    }
}

#[tokio::test]
async fn an_expired_key_fails_and_a_replaced_one_has_a_grace_period() {
    for (_database, [store, other]) in stores().await {
        let expired = StoredKey { expires_at: Some(in_secs(-1)), ..key("old", 1) };
        store.add(expired).await.unwrap();
        store.add(key("ci", 2)).await.unwrap();
        store.add(StoredKey { expires_at: Some(in_secs(1000)), ..key("soon", 3) }).await.unwrap();
        let keys = open(other.clone()).await;
        assert!(keys.owner(&[1; 32]).is_none() && keys.owner(&[2; 32]).unwrap().expires.is_none());
        assert!(
            !store.replace([1; 32], key("old", 4), in_secs(60)).await.unwrap(),
            "an expired key has no successor"
        );
        assert!(!store.replace([2; 32], key("absent", 4), in_secs(60)).await.unwrap());
        assert!(
            !store.replace([3; 32], key("ci", 4), in_secs(60)).await.unwrap(),
            "it is the key of another name"
        );
        assert!(store.replace([2; 32], key("ci", 5), in_secs(3000)).await.unwrap());
        assert!(store.replace([3; 32], key("soon", 6), in_secs(3000)).await.unwrap());
        until(|| keys.owner(&[5; 32]).is_some() && keys.owner(&[6; 32]).is_some()).await;
        assert!(keys.owner(&[2; 32]).is_some());
        let later = Keys::by_clock(other, access().await, || in_secs(3600)).await.unwrap();
        assert!(later.owner(&[2; 32]).is_none());
        assert!(later.owner(&[5; 32]).is_some() && later.owner(&[4; 32]).is_none());
        let ends: Vec<_> =
            store.load().await.unwrap().into_iter().filter(|key| key.hash == [3; 32]).collect();
        assert!(ends[0].expires_at.unwrap() < in_secs(1500), "a time of grace makes no key live longer");
    }
}

#[tokio::test]
async fn replaced_keys_are_removed_once_expired() {
    // The rounds come in intervals, however long they take.
    let start = Timestamp::now();
    let at = |round: u8| start + SignedDuration::from_secs(i64::from(round) * 10);
    let grace = SignedDuration::from_secs(15);
    for (_database, [store, _]) in stores().await {
        store.add(key("ci", 1)).await.unwrap();
        store.add(StoredKey { expires_at: Some(in_secs(-1)), ..key("other", 9) }).await.unwrap();
        for round in 1..50 {
            let next = StoredKey { created_at: at(round), ..key("ci", round + 10) };
            let before = if round == 1 { 1 } else { round + 9 };
            assert!(store.replace([before; 32], next, at(round) + grace).await.unwrap());
        }
        let mut hashes: Vec<_> =
            store.load().await.unwrap().into_iter().map(|key| (key.name, key.hash[0])).collect();
        hashes.sort();
        // The last, the two that have their time of grace, and the key of another name.
        let of_ci = |byte| ("ci".to_owned(), byte);
        assert_eq!(hashes, [of_ci(57), of_ci(58), of_ci(59), ("other".to_owned(), 9)]);
    }
}

#[tokio::test]
async fn a_use_is_recorded_once_a_minute() {
    let folder = tempfile::tempdir().unwrap();
    let [store, other] = in_file(&folder);
    store.add(key("ci", 1)).await.unwrap();
    let long_ago = Timestamp::now() - SignedDuration::from_secs(USE_INTERVAL * 2);
    store.used([1; 32], long_ago).await.unwrap();
    let keys = open(other).await;
    let last = async || store.load().await.unwrap()[0].last_used.unwrap();
    // A use that is noted has a task that writes it.
    let before = tasks();
    for _ in 0..5 {
        keys.note_use(&[1; 32]);
    }
    assert_eq!(tasks(), before + 1);
    let recent = Timestamp::now() - SignedDuration::from_secs(30);
    let first = until_some(async || Some(last().await).filter(|last| *last > recent)).await;
    let before = tasks();
    keys.note_use(&[1; 32]);
    assert_eq!((tasks(), last().await), (before, first));
}

#[tokio::test]
async fn an_unreadable_row_admits_nobody_and_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let [store, other] = in_file(&folder);
    store.add(key("one", 1)).await.unwrap();
    store.add(key("two", 2)).await.unwrap();
    let connection = rusqlite::Connection::open(folder.path().join("keys.sqlite3")).unwrap();
    connection.execute("UPDATE keys SET expires_at = 9223372036854775807 WHERE name = 'one'", []).unwrap();
    let keys = open(other).await;
    assert!(keys.owner(&[1; 32]).is_none() && keys.owner(&[2; 32]).is_some());
    store.revoke("two").await.unwrap();
    let [store, other] = in_file(&folder);
    let keys = open(other).await;
    assert!(keys.owner(&[1; 32]).is_none() && !keys.is_empty(), "nobody gets in without a key either");
    assert_eq!(store.names().await.unwrap(), BTreeSet::from(["one".to_owned()]));
    assert!(store.revoke("one").await.unwrap());
}

#[tokio::test]
async fn a_key_s_scopes_belong_to_its_owner_and_may_be_empty() {
    let owner_with = |scopes: &str| {
        let key = StoredKey { admin: true, scopes: scopes.to_owned(), ..key("ci", 1) };
        key.rights().principal
    };
    assert_eq!(owner_with(""), Principal::agent("ann").with_admin());
    for scopes in ["read:files github", " ", "\u{7}", "nonsense:::"] {
        let owner = owner_with(scopes);
        assert_eq!(owner.key_scopes(), Some(&KeyScopes::new("ci", scopes)), "{scopes:?}");
        assert!(!owner.is_admin(), "{scopes:?}");
    }
}

#[tokio::test]
async fn default_policies_apply_to_a_key_s_agent_at_once() {
    for (_database, [here, there]) in stores().await {
        let access = access().await;
        access.set_server("open", DefaultPolicy::OptOut);
        let allows = |agent| access.query(agent, "open", Some("read")).allows();
        here.add(StoredKey { agent: "first".to_owned(), ..key("one", 1) }).await.unwrap();
        let keys = Keys::open(here, access.clone()).await.unwrap();
        assert!(allows("first") && !allows("second"));
        there.add(StoredKey { agent: "second".to_owned(), ..key("two", 2) }).await.unwrap();
        until(|| keys.owner(&[2; 32]).is_some()).await;
        assert!(allows("second") && !allows("third"));
    }
}

#[tokio::test]
async fn a_key_of_the_console_opens_it_and_calls_for_nobody() {
    for (database, [here, there]) in stores().await {
        let access = access().await;
        let keys = Keys::open(here.clone(), access.clone()).await.unwrap();
        let of_console = StoredKey { console: Some(OperatorRole::Viewer), ..key("ann", 1) };
        there.add(of_console.clone()).await.unwrap();
        until(|| keys.operator(&[1; 32]).is_some()).await;
        assert_eq!(keys.operator(&[1; 32]), Some(("ann".to_owned(), OperatorRole::Viewer)));
        assert!(keys.owner(&[1; 32]).is_none() && keys.is_empty(), "hosts need no key because of it");
        let admin = StoredKey { admin: true, ..key("admin", 2) };
        let narrowed = StoredKey { admin: true, scopes: "files".to_owned(), ..key("narrowed", 3) };
        for key in [admin, narrowed, key("host", 4)] {
            there.add(key).await.unwrap();
        }
        until(|| keys.owner(&[4; 32]).is_some()).await;
        assert_eq!(keys.operator(&[2; 32]), Some(("admin".to_owned(), OperatorRole::Admin)));
        assert_eq!([3, 4].map(|byte| keys.operator(&[byte; 32])), [None, None]);
        let next = StoredKey { hash: [5; 32], ..of_console };
        assert!(there.replace([1; 32], next, in_secs(-1)).await.unwrap());
        until(|| keys.operator(&[5; 32]).is_some()).await;
        assert_eq!(keys.operator(&[1; 32]), None, "a replaced key has expired");
        assert!(there.revoke("ann").await.unwrap());
        until(|| keys.operator(&[5; 32]).is_none()).await;
        drop(database);
    }
}

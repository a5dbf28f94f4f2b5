//! Tests of the stores: the rows that they keep, and the approvals that only one caller gets.

use crate::permission::{
    ApprovalTerm, ArgumentsPattern, AskOutcome, ConfirmationBounds, ConfirmationRow, ConfirmationState,
    ConfirmationStore, RecordFuture, ReplacedRows, SqlPermissionStore, SqlStore, StoreError,
    confirmation::{
        arguments::ArgumentsHash,
        row::ConfirmationKey,
        store::{self, AskedCall, Bound},
    },
};
#[cfg(feature = "sqlite")]
use crate::permission::{PermissionStore, confirmation::CONFIRMATIONS, sql::PERMISSIONS};
use crate::testing::plain_profile;
use jiff::{SignedDuration, Timestamp};
use mgp_types::{context::RiskLevel, json::RawJson};
use std::{collections::BTreeSet, sync::Arc};
#[cfg(feature = "sqlite")]
use xtask_testing::{SharedDatabase, databases, until_some};

fn now() -> Timestamp {
    Timestamp::from_microsecond(Timestamp::now().as_microsecond()).unwrap()
}

fn question(agent: &str, arguments: &'static str) -> ConfirmationRow {
    let arguments = RawJson::parse(arguments).unwrap();
    let hash = ArgumentsHash::of(&arguments);
    ConfirmationRow {
        id: ConfirmationRow::fresh_id(),
        key: ConfirmationKey::new((agent, "s", "t"), hash, plain_profile().definition),
        arguments,
        risk: RiskLevel::Dangerous,
        reason: "it is dangerous".into(),
        intent: Some("to tidy up".into()),
        estimate: Some("It takes minutes, as its server says.".into()),
        every_time: true,
        trace_id: Some("t-1".into()),
        session: Some("s-1".into()),
        session_only: false,
        pattern: None,
        state: ConfirmationState::Open,
        asked_at: now(),
        expires_at: Some(now() + SignedDuration::from_hours(1)),
        decided_by: None,
        decided_at: None,
    }
}

/// Takes the row of a call only by its key.
async fn take(
    store: &dyn ConfirmationStore,
    key: &ConfirmationKey,
    now: Timestamp,
) -> Result<Option<ConfirmationRow>, StoreError> {
    let arguments = &RawJson::empty_object();
    store::take(store, AskedCall { key, arguments, reason: "", session: None }, now).await
}

fn recorded() -> RecordFuture {
    Box::pin(async { Ok(()) })
}

/// Asserts that the row of a call does not hold for a call that differs from it in one part of the key.
async fn holds_for_no_other(store: &dyn ConfirmationStore, key: &ConfirmationKey) {
    let other = || "other".to_owned();
    for key in [
        ConfirmationKey { agent_id: other(), ..key.clone() },
        ConfirmationKey { server_id: other(), ..key.clone() },
        ConfirmationKey { tool_name: other(), ..key.clone() },
        ConfirmationKey { arguments_sha256: other(), ..key.clone() },
        ConfirmationKey { definition_sha256: other(), ..key.clone() },
    ] {
        assert_eq!(take(store, &key, now()).await.unwrap(), None, "{key:?}");
    }
}

/// Asserts the behaviour of every store. `one` and `other` share their rows.
async fn check(one: &dyn ConfirmationStore, other: &dyn ConfirmationStore) {
    let bounds = ConfirmationBounds::default();
    let row = question("a", r#"{"x":[1,{"y":"é"}]}"#);
    let kept = |row: &ConfirmationRow| AskOutcome::Row(Box::new(row.clone()));
    assert_eq!(one.ask_confirmation(row.clone(), bounds).await.unwrap(), kept(&row));
    let again = ConfirmationRow {
        risk: RiskLevel::Moderate,
        reason: "a doubt".into(),
        estimate: None,
        every_time: false,
        session: None,
        ..question("a", r#"{"x":[1,{"y":"é"}]}"#)
    };
    let (id, asked_at, expires_at) = (row.id.clone(), row.asked_at, row.expires_at);
    let renewed = ConfirmationRow { id, asked_at, expires_at, ..again.clone() };
    assert_eq!(
        other.ask_confirmation(again, bounds).await.unwrap(),
        kept(&renewed),
        "its id may have been shown"
    );
    assert_eq!(one.ask_confirmation(row.clone(), bounds).await.unwrap(), kept(&row));
    assert_eq!(other.confirmations().await.unwrap(), std::slice::from_ref(&row));
    assert_eq!(other.confirmation(&row.id).await.unwrap().as_ref(), Some(&row));
    assert_eq!(take(one, &row.key, now()).await.unwrap().as_ref(), Some(&row), "a question stays");

    let mut approved = row.clone().approved(ApprovalTerm::Once, "ann", now() + SignedDuration::from_hours(1));
    approved.decided_at = Some(now());
    assert!(one.decide_confirmation(approved.clone(), ReplacedRows::Questions, recorded()).await.unwrap());
    let denied = row.clone().denied("ben");
    assert!(!other.decide_confirmation(denied, ReplacedRows::Questions, recorded()).await.unwrap());
    assert_eq!(other.remove_confirmation(&row.id, ReplacedRows::Questions).await.unwrap(), None);
    let unknown = ConfirmationRow::fresh_id();
    assert_eq!(other.confirmation(&unknown).await.unwrap(), None);
    assert_eq!(other.remove_confirmation(&unknown, ReplacedRows::All).await.unwrap(), None);
    let nothing = ConfirmationRow { id: unknown, ..approved.clone() };
    assert!(!other.decide_confirmation(nothing, ReplacedRows::All, recorded()).await.unwrap());
    holds_for_no_other(other, &row.key).await;
    assert_eq!(other.confirmation(&row.id).await.unwrap().as_ref(), Some(&approved));
    assert_eq!(take(other, &row.key, now()).await.unwrap(), Some(approved));
    assert_eq!(take(one, &row.key, now()).await.unwrap(), None, "it is used up");

    let mut always = question("a", "{}");
    one.ask_confirmation(always.clone(), bounds).await.unwrap();
    always = always.approved(ApprovalTerm::Always, "ann", now());
    always.decided_at = Some(now());
    assert!(other.decide_confirmation(always.clone(), ReplacedRows::All, recorded()).await.unwrap());
    for store in [one, other] {
        assert_eq!(take(store, &always.key, now()).await.unwrap().as_ref(), Some(&always));
        holds_for_no_other(store, &always.key).await;
    }
    let asked = ConfirmationRow { expires_at: Some(now() + SignedDuration::from_hours(1)), ..always.clone() };
    let mut denied = asked.denied("ben");
    denied.decided_at = Some(now());
    assert!(one.decide_confirmation(denied.clone(), ReplacedRows::All, recorded()).await.unwrap());
    let late = now() + SignedDuration::from_hours(24 * 365);
    assert_eq!(take(other, &denied.key, late).await.unwrap(), Some(denied), "a denial has no end");
    let until = now() + SignedDuration::from_secs(10);
    for term in [ApprovalTerm::Once, ApprovalTerm::Until(until)] {
        let mut timed = always.clone().approved(term, "ann", until);
        timed.decided_at = Some(now());
        assert!(one.decide_confirmation(timed.clone(), ReplacedRows::All, recorded()).await.unwrap());
        assert_eq!(take(one, &timed.key, until).await.unwrap(), None, "{term}: its time is over");
        assert_eq!(other.confirmation(&timed.id).await.unwrap(), Some(timed));
    }
    assert!(other.remove_confirmation(&always.id, ReplacedRows::All).await.unwrap().is_some());
    assert_eq!(one.confirmations().await.unwrap(), []);

    let expired = ConfirmationRow { expires_at: Some(now()), ..question("a", "{}") };
    one.ask_confirmation(expired.clone(), bounds).await.unwrap();
    assert_eq!(take(one, &expired.key, now()).await.unwrap(), None);
    let anew = question("a", "{}");
    assert_eq!(other.ask_confirmation(anew.clone(), bounds).await.unwrap(), kept(&anew));
}

/// Asserts that a row of the same tool is a candidate only with a pattern, and that only an approval of one call is spent.
async fn check_candidates(store: &dyn ConfirmationStore) {
    let later = now() + SignedDuration::from_hours(1);
    let mut rows = Vec::new();
    for (arguments, term) in [
        (r#"{"n":1}"#, ApprovalTerm::Once),
        (r#"{"n":2}"#, ApprovalTerm::Once),
        (r#"{"n":3}"#, ApprovalTerm::Always),
    ] {
        let row = question("a", arguments);
        store.ask_confirmation(row.clone(), ConfirmationBounds::default()).await.unwrap();
        let mut row = row.approved(term, "ann", later);
        if term == ApprovalTerm::Always {
            row.pattern = Some(ArgumentsPattern::of_arguments(&row.arguments, &["n=*"]).unwrap());
        }
        assert!(store.decide_confirmation(row.clone(), ReplacedRows::All, recorded()).await.unwrap());
        rows.push(row);
    }
    let ids = |rows: Vec<ConfirmationRow>| rows.into_iter().map(|row| row.id).collect::<BTreeSet<_>>();
    let candidates = store.candidates(&rows[0].key, None, now()).await.unwrap();
    assert_eq!(ids(candidates), [&rows[0], &rows[2]].map(|row| row.id.clone()).into());
    assert!(!store.spend(&rows[2].id).await.unwrap(), "it holds for more than one call");
    assert!(store.spend(&rows[1].id).await.unwrap() && !store.spend(&rows[1].id).await.unwrap());
    assert_eq!(
        ids(store.confirmations().await.unwrap()),
        [&rows[0], &rows[2]].map(|row| row.id.clone()).into()
    );
}

/// Asserts that an answer only replaces that for the same call in the same session.
async fn check_sessions(store: &dyn ConfirmationStore) {
    let later = now() + SignedDuration::from_hours(1);
    let mut kept = Vec::new();
    for session in ["s-1", "s-2", "s-1"] {
        let row = ConfirmationRow { session: Some(session.into()), ..question("a", "{}") };
        store.ask_confirmation(row.clone(), ConfirmationBounds::default()).await.unwrap();
        let row = row.approved(ApprovalTerm::Session, "ann", later);
        assert!(store.decide_confirmation(row.clone(), ReplacedRows::All, recorded()).await.unwrap());
        kept.push(row.id);
    }
    let rows: BTreeSet<_> = store.confirmations().await.unwrap().into_iter().map(|row| row.id).collect();
    assert_eq!(rows, kept.split_off(1).into_iter().collect());
}

/// Asserts that every store keeps exactly as many questions and answers as its bounds allow.
async fn check_bounds(store: &dyn ConfirmationStore) {
    let bounds = ConfirmationBounds { open_per_agent: 2, open: 3, rows: 4 };
    let asked = async |agent: &str, arguments| match store
        .ask_confirmation(question(agent, arguments), bounds)
        .await
        .unwrap()
    {
        AskOutcome::Row(row) => {
            assert_eq!(row.key.agent_id, agent);
            None
        }
        AskOutcome::Full(bound) => Some(bound),
    };
    assert_eq!(asked("a", r#"{"n":1}"#).await, None);
    assert_eq!(asked("a", r#"{"n":2}"#).await, None);
    assert_eq!(asked("a", r#"{"n":3}"#).await, Some(Bound::OpenOfAgent(2)));
    assert_eq!(asked("a", r#"{"n":2}"#).await, None, "a question that is there needs no room");
    assert_eq!(asked("b", "{}").await, None);
    assert_eq!(asked("c", "{}").await, Some(Bound::Open(3)));
    for row in store.confirmations().await.unwrap() {
        assert!(store.decide_confirmation(row.denied("ben"), ReplacedRows::All, recorded()).await.unwrap());
    }
    assert_eq!(asked("c", "{}").await, None);
    assert_eq!(asked("d", "{}").await, Some(Bound::Rows(4)));
    assert_eq!(store.confirmations().await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_store_in_memory_keeps_questions_and_answers() {
    let store = SqlPermissionStore::in_memory();
    check(&store, &store).await;
    check_candidates(&SqlPermissionStore::in_memory()).await;
    check_sessions(&SqlPermissionStore::in_memory()).await;
}

#[tokio::test]
async fn a_memory_store_is_bounded_per_agent_and_in_total() {
    check_bounds(&SqlPermissionStore::in_memory()).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_database_is_bounded_per_agent_and_in_total() {
    for SharedDatabase { here, .. } in databases(SqlPermissionStore::SCHEMA).await {
        check_bounds(&SqlPermissionStore::new(here)).await;
    }
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn an_unreadable_approval_allows_nothing_and_hides_no_other() {
    for broken in [
        "state = 'maybe'",
        "risk = 'none'",
        "arguments = 'no json'",
        "asked_at = 9223372036854775807",
        "decided_by = CAST(x'ff' AS TEXT)",
        "pattern = 'no json'",
        "pattern = '7'",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("permission.sqlite3");
        let store = SqlPermissionStore::open(&path).unwrap();
        let mut approved = Vec::new();
        for agent in ["a", "b"] {
            let mut row = question(agent, "{}").approved(ApprovalTerm::Always, "ann", now());
            row.decided_at = Some(now());
            store.ask_confirmation(row.clone(), ConfirmationBounds::default()).await.unwrap();
            approved.push(row);
        }
        let sql = format!("UPDATE confirmations SET {broken} WHERE agent_id = 'a'");
        assert_eq!(rusqlite::Connection::open(&path).unwrap().execute(&sql, []), Ok(1));
        let (lost, there) = (&approved[0], &approved[1]);
        let taken = take(&store, &lost.key, now()).await.unwrap().unwrap();
        assert_eq!((taken.id, taken.state), (lost.id.clone(), ConfirmationState::Unreadable), "{broken}");
        let shown = store.confirmations().await.unwrap();
        assert!(shown.len() == 2 && shown.contains(there), "{broken}: {shown:?}");
        assert_eq!(take(&store, &there.key, now()).await.unwrap().as_ref(), Some(there), "{broken}");
    }
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_database_keeps_questions_and_answers_for_all() {
    for SharedDatabase { here, there, .. } in databases(SqlPermissionStore::SCHEMA).await {
        let (one, other) = (SqlPermissionStore::new(here), SqlPermissionStore::new(there));
        check(&one, &other).await;
        let before = one.confirmations_version().await.unwrap();
        other.ask_confirmation(question("b", "{}"), ConfirmationBounds::default()).await.unwrap();
        until_some(async || (one.confirmations_version().await.unwrap() != before).then_some(())).await;
    }
    for SharedDatabase { here, .. } in databases(SqlPermissionStore::SCHEMA).await {
        check_candidates(&SqlPermissionStore::new(here)).await;
    }
    for SharedDatabase { here, .. } in databases(SqlPermissionStore::SCHEMA).await {
        check_sessions(&SqlPermissionStore::new(here)).await;
    }
}

#[tokio::test]
async fn a_memory_store_never_repeats_a_version() {
    let store = SqlPermissionStore::in_memory();
    let later = now() + SignedDuration::from_hours(1);
    let mut versions = BTreeSet::from([store.confirmations_version().await.unwrap()]);
    for round in 0..2 {
        let row = ConfirmationRow { every_time: round == 0, ..question("a", "{}") };
        let approved = row.clone().approved(ApprovalTerm::Once, "ann", later);
        store.ask_confirmation(row.clone(), ConfirmationBounds::default()).await.unwrap();
        assert!(versions.insert(store.confirmations_version().await.unwrap()));
        let other = ConfirmationRow { risk: RiskLevel::Moderate, ..row.clone() };
        store.ask_confirmation(other, ConfirmationBounds::default()).await.unwrap();
        assert!(versions.insert(store.confirmations_version().await.unwrap()));
        assert!(store.decide_confirmation(approved, ReplacedRows::All, recorded()).await.unwrap());
        assert!(versions.insert(store.confirmations_version().await.unwrap()));
        assert!(store.spend(&row.id).await.unwrap());
        assert!(versions.insert(store.confirmations_version().await.unwrap()));
    }
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn exactly_one_process_takes_an_approval_of_one_call() {
    // For the turns of all others on a busy machine.
    mgp_store::sqlite::set_lock_timeout(std::time::Duration::from_secs(120));
    for SharedDatabase { engine, here, there, .. } in databases(SqlPermissionStore::SCHEMA).await {
        let stores = [here, there].map(|database| Arc::new(SqlPermissionStore::new(database)));
        for round in 0..5 {
            let row = question(&format!("a{round}"), "{}");
            stores[0].ask_confirmation(row.clone(), ConfirmationBounds::default()).await.unwrap();
            let approved =
                row.clone().approved(ApprovalTerm::Once, "ann", now() + SignedDuration::from_hours(1));
            stores[1].decide_confirmation(approved, ReplacedRows::All, recorded()).await.unwrap();
            let takes: Vec<_> = (0..16)
                .map(|i| {
                    let (store, key) = (stores[i % 2].clone(), row.key.clone());
                    tokio::spawn(async move { take(&*store, &key, now()).await.unwrap() })
                })
                .collect();
            let mut taken = 0;
            for take in takes {
                taken += usize::from(take.await.unwrap().is_some());
            }
            assert_eq!(taken, 1, "{engine}");
        }
    }
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn answers_of_a_file_in_an_earlier_format_still_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("permission.sqlite3");
    let mut row = question("a", "{}").approved(ApprovalTerm::Always, "ann", now());
    row.decided_at = Some(now());
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(PERMISSIONS).unwrap();
    old.execute_batch(CONFIRMATIONS).unwrap();
    let permission =
        "INSERT INTO permissions VALUES ('s', 'camera', 'approved', 'perm-1', 't', 1, 'ann', 2, NULL, 0)";
    old.execute(permission, []).unwrap();
    let key = &row.key;
    old.execute(
        "INSERT INTO confirmations VALUES (?, 'a', 's', 't', ?, ?, '{}', 'dangerous', 'why', 0, NULL, 'approved', 1, NULL, 'ann', 2)",
        [&row.id, &key.arguments_sha256, &key.definition_sha256],
    )
    .unwrap();
    old.pragma_update(None, "user_version", 2).unwrap();
    drop(old);
    let store = SqlPermissionStore::open(&path).unwrap();
    let taken = take(&store, key, now()).await.unwrap().unwrap();
    assert_eq!((&taken.id, taken.term()), (&row.id, Some(ApprovalTerm::Always)));
    let approved = PermissionStore::load(&store).await.unwrap().rows;
    assert_eq!((approved[0].request_id.as_str(), &approved[0].scope), ("perm-1", &None));
}

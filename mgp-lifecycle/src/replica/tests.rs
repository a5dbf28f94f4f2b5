//! Replicas that share a database of PostgreSQL.

use super::{MAX_REPLICA_REPORT, SqlReplicaStore};
use mgp_store::sql::{Database, params, postgres::PostgresStore};
use mgp_transport::seam::{REPLICA_GONE, ReplicaAuthority, ReplicaStore, SessionRecord, StoredSession};
use std::{sync::atomic::Ordering, time::Duration};

const KEPT: Duration = Duration::from_secs(3600);

/// Two replicas, and their database; `None` without PostgreSQL.
async fn replicas() -> Option<([SqlReplicaStore; 2], Database)> {
    let url = xtask_testing::postgres().await?;
    let database = PostgresStore::new(&url).unwrap().tables(SqlReplicaStore::SCHEMA);
    let replica = || SqlReplicaStore::new(database.clone(), KEPT).unwrap();
    let replicas = [replica(), replica()];
    for (at, replica) in replicas.iter().enumerate() {
        replica.renew(&format!("10.0.0.{at}:7434")).await.unwrap();
    }
    Some((replicas, database))
}

fn record() -> SessionRecord {
    SessionRecord {
        principal: "ann".to_owned(),
        initialize: Some("{}".to_owned()),
        level: None,
        subscriptions: Vec::new(),
        revision: 0,
    }
}

/// Lets the last renewal of a replica be a time ago.
async fn age(database: &Database, replica: &SqlReplicaStore, time: Duration) {
    let (id, micros) = (replica.id().to_owned(), i64::try_from(time.as_micros()).unwrap());
    let age = move |connection: &mgp_store::sql::Connection<'_>| {
        connection.execute("UPDATE replicas SET seen_at = seen_at - $2 WHERE id = $1", &params![id, micros])
    };
    database.write(age).await.unwrap();
}

async fn found(replica: &SqlReplicaStore, session: &str) -> StoredSession {
    replica.find(session).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_session_of_a_replica_that_is_gone_is_taken_over() {
    let Some(([one, other], database)) = replicas().await else { return };
    assert!(one.open("s", &record()).await.unwrap());
    let seen = found(&other, "s").await;
    assert_eq!((seen.owner.as_str(), seen.address.as_deref()), (one.id(), Some("10.0.0.0:7434")));
    assert!(!other.take_over("s", &seen).await.unwrap(), "its owner is there");
    age(&database, &one, REPLICA_GONE).await;
    let gone = found(&other, "s").await;
    assert_eq!((gone.address.as_deref(), one.address(one.id()).await.unwrap()), (None, None));
    assert!(other.take_over("s", &gone).await.unwrap());
    assert!(!other.take_over("s", &gone).await.unwrap(), "that was another epoch");
    let taken = found(&one, "s").await;
    assert_eq!((taken.owner.as_str(), taken.epoch), (other.id(), 1));
    assert_eq!(taken.address.as_deref(), Some("10.0.0.1:7434"));
    // The owner of before renews its entry too late, and may change nothing.
    one.renew("10.0.0.0:7434").await.unwrap();
    assert!(one.owned().await.unwrap().is_empty());
    one.close("s", 0).await.unwrap();
    one.change("s", 0, &SessionRecord { level: Some("debug".to_owned()), revision: 1, ..record() })
        .await
        .unwrap();
    assert_eq!(found(&one, "s").await.record, record());
    assert_eq!(other.owned().await.unwrap(), [("s".to_owned(), 1)]);
    other.close("s", 1).await.unwrap();
    assert_eq!(other.find("s").await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_released_session_is_taken_over_at_once() {
    let Some(([one, other], _)) = replicas().await else { return };
    one.open("s", &record()).await.unwrap();
    one.release("s", 0).await.unwrap();
    assert!(one.owned().await.unwrap().is_empty());
    // The session ends here, and continues elsewhere.
    one.close("s", 0).await.unwrap();
    let released = found(&other, "s").await;
    assert_eq!(released.address, None);
    assert!(other.take_over("s", &released).await.unwrap());
    assert!(found(&one, "s").await.address.is_some());
    // The same owner has the session again, in a later epoch.
    other.release("s", 1).await.unwrap();
    assert!(one.take_over("s", &found(&one, "s").await).await.unwrap());
    one.release("s", 2).await.unwrap();
    assert!(!other.take_over("s", &released).await.unwrap(), "that was an earlier epoch");
    one.open("t", &record()).await.unwrap();
    one.leave().await.unwrap();
    assert_eq!(found(&other, "t").await.address, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_revision_of_a_record_is_never_replaced() {
    let Some(([one, _], _)) = replicas().await else { return };
    one.open("s", &record()).await.unwrap();
    let revision =
        |revision, uri: &str| SessionRecord { subscriptions: vec![uri.to_owned()], revision, ..record() };
    one.change("s", 0, &revision(2, "b")).await.unwrap();
    one.change("s", 0, &revision(1, "a")).await.unwrap();
    assert_eq!(found(&one, "s").await.record, revision(2, "b"));
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_a_replica_that_is_long_gone_are_removed() {
    let Some(([one, other], database)) = replicas().await else { return };
    one.open("s", &record()).await.unwrap();
    other.open("t", &record()).await.unwrap();
    age(&database, &one, KEPT).await;
    let third = SqlReplicaStore::new(database, KEPT).unwrap();
    third.renew("10.0.0.2:7434").await.unwrap();
    assert_eq!(third.find("s").await.unwrap(), None);
    assert!(third.find("t").await.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_waits_for_no_row_of_another_replica() {
    let Some(([one, other], database)) = replicas().await else { return };
    one.open("s", &record()).await.unwrap();
    other.open("t", &record()).await.unwrap();
    for replica in [&one, &other] {
        age(&database, replica, KEPT).await;
    }
    let third = SqlReplicaStore::new(database.clone(), KEPT).unwrap();
    let (id, runtime) = (one.id().to_owned(), tokio::runtime::Handle::current());
    let renewal = async move {
        tokio::time::timeout(Duration::from_secs(10), third.renew("10.0.0.2:7434")).await.unwrap().unwrap();
        third
    };
    // The first replica renews its entry, and has not committed it yet.
    let renew = move |connection: &mgp_store::sql::Connection<'_>| {
        let sql = format!("UPDATE replicas SET seen_at = {} WHERE id = $1", connection.clock());
        connection.execute(&sql, &params![id])?;
        Ok(runtime.block_on(renewal))
    };
    let third = database.write_for(Vec::new(), renew).await.unwrap();
    assert_eq!(third.find("t").await.unwrap(), None);
    assert_eq!(found(&third, "s").await.address.as_deref(), Some("10.0.0.0:7434"));
    // The second one was removed, and comes back without its session.
    other.renew("10.0.0.1:7434").await.unwrap();
    assert_eq!(other.address(other.id()).await.unwrap().as_deref(), Some("10.0.0.1:7434"));
    assert!(other.owned().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_that_return_at_once_do_not_block_each_other() {
    let Some((_, database)) = replicas().await else { return };
    let replicas: Vec<_> = (0..6).map(|_| SqlReplicaStore::new(database.clone(), KEPT).unwrap()).collect();
    for replica in &replicas {
        replica.renew("10.0.0.9:7434").await.unwrap();
    }
    for replica in &replicas {
        age(&database, replica, KEPT).await;
    }
    // Each removes the others.
    let renewals = replicas.into_iter().map(|replica| {
        replica.renewals.store(0, Ordering::Relaxed);
        tokio::spawn(async move { replica.renew("10.0.0.9:7434").await.map_err(|error| error.to_string()) })
    });
    for renewal in renewals.collect::<Vec<_>>() {
        assert_eq!(renewal.await.unwrap(), Ok(()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_replicas_keep_the_first_authority() {
    let Some(([one, other], _)) = replicas().await else { return };
    let fresh = |byte| ReplicaAuthority { certificate: vec![byte], key: vec![byte, byte] };
    assert_eq!(one.authority(fresh(1)).await.unwrap(), fresh(1));
    assert_eq!(other.authority(fresh(2)).await.unwrap(), fresh(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reports_of_replicas_that_are_there_are_read() {
    let Some(([one, other], database)) = replicas().await else { return };
    assert!(one.report("first").await.unwrap() && one.report("second").await.unwrap());
    let early = SqlReplicaStore::new(database.clone(), KEPT).unwrap();
    assert!(!early.report("early").await.unwrap(), "it has no entry yet");
    let reports = other.reports().await.unwrap();
    let shown: Vec<_> = reports
        .iter()
        .map(|found| {
            (found.id.as_str(), found.address.as_str(), found.report.as_ref().map(|(text, _)| &**text))
        })
        .collect();
    assert_eq!(shown, [(one.id(), "10.0.0.0:7434", Some("second")), (other.id(), "10.0.0.1:7434", None)]);
    age(&database, &one, REPLICA_GONE).await;
    assert_eq!(other.reports().await.unwrap().len(), 1, "the other one is gone");
    let error = other.report(&"x".repeat(MAX_REPLICA_REPORT + 1)).await.unwrap_err().to_string();
    assert!(
        error.contains(&format!("{} bytes, expected at most {MAX_REPLICA_REPORT}", MAX_REPLICA_REPORT + 1)),
        "{error}"
    );
}

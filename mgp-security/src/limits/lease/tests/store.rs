//! Tests of the store of buckets, with both engines.

use super::super::{
    BucketName, BucketRate, Lease, LeaseRequest, LeaseStore, MAX_SHARED_BUCKETS, SqlLeaseStore,
};
use crate::limits::tests::number;
use mgp_store::sql::{Connection, Database, SqlStore, params};
use std::time::Duration;
use xtask_testing::{SharedDatabase, databases};

/// A time in microseconds.
const NOON: i64 = 1_773_576_000_000_000;

const SECOND: Duration = Duration::from_secs(1);

fn noon() -> i64 {
    NOON
}

fn two_minutes_later() -> i64 {
    NOON + 120_000_000
}

fn two_hours_later() -> i64 {
    NOON + 7_200_000_000
}

/// Two kernels' handles to the same tables of one engine.
async fn stores() -> Vec<(SharedDatabase, [SqlLeaseStore; 2])> {
    let databases = databases(SqlLeaseStore::SCHEMA).await.into_iter();
    let both = |database: &SharedDatabase| {
        [&database.here, &database.there].map(|handle| SqlLeaseStore::new(handle.clone()).at(noon))
    };
    databases
        .map(|database| (both(&database), database))
        .map(|(stores, database)| (database, stores))
        .collect()
}

/// Returns a request for calls of a bucket of ten, of which one comes back each second.
fn request(caller: &str, wanted: u32) -> LeaseRequest {
    let bucket = BucketName { rule: "rule".into(), caller: caller.to_owned(), ..BucketName::default() };
    let rate = BucketRate::new(number(60), number(10));
    LeaseRequest { bucket, rate, wanted, returned: 0, spent: 0, spent_for: Duration::ZERO }
}

fn lease(calls: u32, seconds: u32) -> Lease {
    Lease { calls, full_in: SECOND * seconds }
}

async fn rows(database: &Database, table: &'static str) -> i64 {
    let count = move |connection: &Connection<'_>| {
        let row = connection.row(&format!("SELECT count(*) AS n FROM {table}"), &params![])?;
        Ok(row.unwrap().needed_integer("n").unwrap())
    };
    database.read(count).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn simultaneous_leases_never_exceed_the_bucket() {
    for (database, stores) in stores().await {
        let lease = |at: usize| {
            let store = stores[at % 2].clone();
            tokio::spawn(async move {
                // Both orders, as two kernels may have them.
                let mut requests = vec![request("ann", 2), request("bob", 1)];
                if at.is_multiple_of(3) {
                    requests.reverse();
                }
                store.lease(requests).await.unwrap().iter().map(|lease| lease.calls).sum::<u32>()
            })
        };
        let leases: Vec<_> = (0..20).map(lease).collect();
        let mut calls = 0;
        for lease in leases {
            calls += lease.await.unwrap();
        }
        assert_eq!(calls, 20, "{}", database.engine);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn leases_are_in_the_order_of_their_requests() {
    for (database, [one, other]) in stores().await {
        let asked = vec![request("zoe", 3), request("ann", 0), request("bob", 12)];
        let leases = one.lease(asked).await.unwrap();
        assert_eq!(leases, [lease(3, 3), lease(0, 0), lease(10, 10)], "{}", database.engine);
        assert_eq!(rows(&database.here, "limit_buckets").await, 2, "a look stores nothing");
        let returned = LeaseRequest { returned: 2, ..request("zoe", 0) };
        let leases = other.lease(vec![returned, request("bob", 1)]).await.unwrap();
        assert_eq!(leases, [lease(0, 1), lease(0, 10)], "{}", database.engine);
        let later = other.at(two_minutes_later).lease(vec![request("bob", 4)]).await.unwrap();
        assert_eq!(later, [lease(4, 4)], "{}", database.engine);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_is_that_of_the_database() {
    for database in databases(SqlLeaseStore::SCHEMA).await {
        let store = SqlLeaseStore::new(database.here.clone());
        let first = store.lease(vec![request("ann", 10)]).await.unwrap();
        assert_eq!(first, [lease(10, 10)]);
        let seen = |connection: &Connection<'_>| {
            let sql = format!("SELECT full_at - {} * 1000 AS rest FROM limit_buckets", connection.clock());
            Ok(connection.row(&sql, &params![])?.unwrap().needed_integer("rest").unwrap())
        };
        let rest = database.there.read(seen).await.unwrap();
        assert!(rest <= 10_000_000_000, "{}: {rest}", database.engine);
        // As after the clock of the database was set back by an hour.
        let back = |connection: &Connection<'_>| {
            connection.execute("UPDATE limit_buckets SET full_at = full_at + 3600000000000", &params![])
        };
        database.there.write(back).await.unwrap();
        assert_eq!(store.lease(vec![request("ann", 1)]).await.unwrap(), [lease(0, 10)]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_kernels_that_renewed_their_note_lately_count() {
    for (database, [one, other]) in stores().await {
        assert_eq!(one.renew("one").await.unwrap(), 1);
        assert_eq!(other.renew("other").await.unwrap(), 2);
        assert_eq!(one.renew("one").await.unwrap(), 2, "{}", database.engine);
        let later = one.at(two_minutes_later);
        assert_eq!(later.renew("one").await.unwrap(), 1, "{}", database.engine);
        later.at(two_hours_later).sweep().await.unwrap();
        assert_eq!(rows(&database.here, "limit_kernels").await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn buckets_that_have_been_full_for_a_minute_are_removed() {
    for (database, [one, _]) in stores().await {
        let callers: Vec<_> = (0..70).map(|number| request(&format!("a{number}"), 1)).collect();
        one.lease(callers).await.unwrap();
        one.sweep().await.unwrap();
        assert_eq!(rows(&database.here, "limit_buckets").await, 70, "{}", database.engine);
        let later = one.at(two_minutes_later);
        later.lease(vec![request("a0", 1)]).await.unwrap();
        later.sweep().await.unwrap();
        assert_eq!(rows(&database.here, "limit_buckets").await, 6, "{}", database.engine);
        later.sweep().await.unwrap();
        assert_eq!(rows(&database.here, "limit_buckets").await, 1, "{}", database.engine);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_without_room_counts_as_empty() {
    for (database, [one, _]) in stores().await {
        one.lease(vec![request("ann", 1)]).await.unwrap();
        let fill = |connection: &Connection<'_>| {
            let sql = format!(
                "INSERT INTO limit_buckets (rule, caller, server, tool, full_at) \
                 WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {}) \
                 SELECT 'filling', CAST(n AS TEXT), '', '', $1 FROM numbers",
                MAX_SHARED_BUCKETS - 1
            );
            connection.execute(&sql, &params![NOON * 1000])
        };
        database.here.write(fill).await.unwrap();
        let leases = one.lease(vec![request("ann", 1), request("bob", 1)]).await.unwrap();
        assert_eq!(leases, [lease(1, 2), lease(0, 10)], "{}", database.engine);
        one.clone().at(two_minutes_later).sweep().await.unwrap();
        assert_eq!(one.lease(vec![request("bob", 1)]).await.unwrap(), [lease(1, 1)], "{}", database.engine);
    }
}

//! The schema of a fleet, and its size.

use std::{future::Future, time::Duration};
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::{Client, NoTls, types::FromSqlOwned};

/// The time limit of a statement.
const ANSWER: Duration = Duration::from_secs(30);
/// The time limit for the copies of a round's events.
const COPY: Duration = Duration::from_secs(120);
/// The pause between two looks at the copies.
const LOOK: Duration = Duration::from_millis(20);

/// Counts the events of all trails: each trail numbers its events from 1, without gaps.
const EVENTS: &str = "SELECT coalesce(sum(seq), 0)::bigint FROM audit_trails";
/// Sums up the tables of the schema, with their indexes. A partition is a table.
const SIZE: &str = "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'";
const SERVER: &str =
    "SELECT 'PostgreSQL ' || current_setting('server_version') || ', fsync = ' || current_setting('fsync')
    || ', synchronous_commit = ' || current_setting('synchronous_commit')";
const EVENT_LENGTH: &str = "SELECT coalesce(avg(octet_length(event)), 0)::float8 FROM audit_events";

/// An empty schema for the state of a fleet, in the server that the environment names.
#[derive(Debug)]
pub(super) struct FleetDatabase {
    url: String,
    client: Client,
}

impl FleetDatabase {
    /// Makes a schema.
    pub(super) async fn create() -> Result<Self, String> {
        // The function fails by panicking, as in a test.
        let made = timeout(ANSWER, tokio::spawn(xtask_testing::postgres())).await;
        let made = made.map_err(|_| format!("PostgreSQL made no schema within {ANSWER:?}"))?;
        let made = made.map_err(|error| format!("PostgreSQL made no schema: {error}"))?;
        let url = made.ok_or("PostgreSQL does not run")?;
        let (client, connection) = answered(tokio_postgres::connect(&url, NoTls)).await?;
        tokio::spawn(connection);
        Ok(Self { url, client })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the version of the server, and its settings that change the cost of a commit.
    pub(super) async fn server(&self) -> Result<String, String> {
        self.value(SERVER).await
    }

    /// Returns the number of events that all replicas have copied.
    pub(super) async fn events(&self) -> Result<i64, String> {
        self.value(EVENTS).await
    }

    /// Returns the size of all tables with their indexes, in bytes.
    pub(super) async fn size(&self) -> Result<i64, String> {
        self.value(SIZE).await
    }

    /// Returns the mean length of an event as JSON, in bytes.
    pub(super) async fn event_length(&self) -> Result<f64, String> {
        self.value(EVENT_LENGTH).await
    }

    /// Waits until the replicas have copied this number of events.
    pub(super) async fn has(&self, events: i64) -> Result<(), String> {
        let end = Instant::now() + COPY;
        loop {
            let copied = self.events().await?;
            if copied >= events {
                return Ok(());
            }
            if Instant::now() >= end {
                return Err(format!("the database has {copied} of {events} events after {COPY:?}"));
            }
            sleep(LOOK).await;
        }
    }

    async fn value<T: FromSqlOwned>(&self, sql: &str) -> Result<T, String> {
        let row = answered(self.client.query_one(sql, &[])).await?;
        row.try_get(0).map_err(|error| format!("PostgreSQL: {error}"))
    }
}

async fn answered<T>(answer: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, String> {
    match timeout(ANSWER, answer).await {
        Ok(answer) => answer.map_err(|error| format!("PostgreSQL: {error}")),
        Err(_) => Err(format!("PostgreSQL gave no answer within {ANSWER:?}")),
    }
}

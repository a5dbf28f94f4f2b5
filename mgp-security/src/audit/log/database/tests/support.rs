//! Trails and databases for tests.

use crate::audit::{
    AuditDatabase, AuditFilter, AuditLog, AuditLogConfig, AuditSink, Confirmation, EventDraft,
    TrailVerification,
};
use jiff::{SignedDuration, Timestamp};
use mgp_store::sql::{Connection, SqlStore};
use mgp_types::{
    audit::{AuditEvent, AuditEventType},
    context::Principal,
};
use std::{
    path::Path,
    sync::{
        OnceLock,
        atomic::{AtomicI64, Ordering},
    },
};

/// Opens the trail of a folder.
pub(super) fn log(folder: &Path) -> AuditLog {
    AuditLog::open(folder.join("audit.sqlite3"), &AuditLogConfig::default()).unwrap()
}

/// Returns two handles to one database of each engine, as two processes have them.
pub(super) async fn databases() -> Vec<(&'static str, AuditDatabase, AuditDatabase)> {
    let databases = xtask_testing::databases(AuditDatabase::SCHEMA).await;
    databases
        .into_iter()
        .map(|shared| {
            let (engine, here, there) = (shared.engine, shared.here.clone(), shared.there.clone());
            // Folders live as long as the test process.
            Box::leak(Box::new(shared));
            (engine, AuditDatabase::new(here), AuditDatabase::new(there))
        })
        .collect()
}

/// Returns an event that is a millisecond later than the one before it.
pub(super) fn event(actor: &str) -> AuditEvent {
    static FIRST: OnceLock<Timestamp> = OnceLock::new();
    static RECORDED: AtomicI64 = AtomicI64::new(0);
    let first = FIRST.get_or_init(Timestamp::now);
    let time = *first + SignedDuration::from_millis(RECORDED.fetch_add(1, Ordering::Relaxed));
    let event = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent(actor)).finish();
    AuditEvent { timestamp: time.to_string(), ..event }
}

/// Records events of an actor.
pub(super) async fn record(log: &AuditLog, actor: &str, count: usize) {
    for _ in 0..count {
        log.record(event(actor)).await.unwrap();
    }
}

/// Copies everything that a trail has.
pub(super) async fn copy(log: &AuditLog, database: &AuditDatabase) {
    log.clone().with_database(database.clone(), Confirmation::Local, None).copied().await.unwrap();
}

/// Returns the actors of all events, in the order of the listing.
pub(super) async fn actors(database: &AuditDatabase) -> Vec<String> {
    let filter = AuditFilter { last: 100_000, ..AuditFilter::default() };
    let page = database.latest_page(filter).await.unwrap();
    page.events.into_iter().map(|event| event.actor.id).collect()
}

/// Runs a statement as somebody who edits the database.
pub(super) async fn edit(database: &AuditDatabase, sql: &'static str) -> usize {
    database.database.write(move |connection: &Connection<'_>| connection.execute(sql, &[])).await.unwrap()
}

/// Checks all trails.
pub(super) async fn verify(database: &AuditDatabase) -> Vec<TrailVerification> {
    database.verify(None).await.unwrap()
}

/// Returns the problems of all trails, and the first faults.
pub(super) async fn problems(database: &AuditDatabase) -> Vec<String> {
    let trails = verify(database).await;
    let shown = |trail: TrailVerification| {
        let problems = trail.verification.problems.iter().map(ToString::to_string).collect::<Vec<_>>();
        let fault = trail.fault.map(|fault| fault.to_string());
        problems.into_iter().chain(fault).collect::<Vec<_>>()
    };
    trails.into_iter().flat_map(shown).collect()
}

/// Returns a database whose connections are cut by the returned proxy, and the database itself; `None` without PostgreSQL.
#[cfg(unix)]
pub(super) async fn through_proxy() -> Option<(xtask_testing::PostgresProxy, AuditDatabase, AuditDatabase)> {
    let url = xtask_testing::postgres().await?;
    let proxy = xtask_testing::PostgresProxy::start(&url);
    let [cut, direct] = [proxy.url(), &url].map(|url| {
        let store = mgp_store::sql::postgres::PostgresStore::new(url).unwrap();
        AuditDatabase::new(store.tables(AuditDatabase::SCHEMA))
    });
    Some((proxy, cut, direct))
}

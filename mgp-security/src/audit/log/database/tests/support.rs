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
use tempfile::TempDir;
#[cfg(unix)]
use xtask_testing::PostgresProxy;
use xtask_testing::SharedDatabase;

/// A database, and the trails of two machines in new folders.
pub(super) struct Rig {
    /// The name of the database's engine.
    pub(super) engine: &'static str,
    /// The handle of one process.
    pub(super) here: AuditDatabase,
    /// The handle of another process.
    pub(super) there: AuditDatabase,
    /// The trail of one machine.
    pub(super) log: AuditLog,
    /// The trail of another machine.
    pub(super) other: AuditLog,
    folders: [TempDir; 2],
    _shared: Option<SharedDatabase>,
}

impl Rig {
    fn new(engine: &'static str, [here, there]: [AuditDatabase; 2], shared: Option<SharedDatabase>) -> Self {
        let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [log, other] = folders.each_ref().map(|folder| log(folder.path()));
        Self { engine, here, there, log, other, folders, _shared: shared }
    }

    /// Returns the folder of the trail `log`.
    pub(super) fn folder(&self) -> &Path {
        self.folders[0].path()
    }

    /// Records events of an actor in the trail `log`, and copies them.
    pub(super) async fn copied(&self, actor: &str, count: usize) {
        record(&self.log, actor, count).await;
        copy(&self.log, &self.here).await;
    }

    /// Checks that all trails in the database are intact.
    pub(super) async fn assert_intact(&self) {
        assert_eq!(problems(&self.there).await, [""; 0], "{}", self.engine);
    }
}

/// Opens the trail of a folder.
pub(super) fn log(folder: &Path) -> AuditLog {
    AuditLog::open(folder.join("audit.sqlite3"), &AuditLogConfig::default()).unwrap()
}

/// Returns a rig for each engine of databases.
pub(super) async fn rigs() -> Vec<Rig> {
    let databases = xtask_testing::databases(AuditDatabase::SCHEMA).await;
    let rig = |shared: SharedDatabase| {
        let handles = [&shared.here, &shared.there].map(|database| AuditDatabase::new(database.clone()));
        Rig::new(shared.engine, handles, Some(shared))
    };
    databases.into_iter().map(rig).collect()
}

/// Returns a rig with PostgreSQL, whose connections of `here` are cut by the returned proxy; `None` without PostgreSQL.
#[cfg(unix)]
pub(super) async fn through_proxy() -> Option<(PostgresProxy, Rig)> {
    let url = xtask_testing::postgres().await?;
    let proxy = PostgresProxy::start(&url);
    let handles = [proxy.url(), &url].map(|url| {
        let store = mgp_store::sql::postgres::PostgresStore::new(url).unwrap();
        AuditDatabase::new(store.tables(AuditDatabase::SCHEMA))
    });
    Some((proxy, Rig::new("PostgreSQL", handles, None)))
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

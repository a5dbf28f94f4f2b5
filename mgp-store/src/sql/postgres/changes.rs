//! The versions of all sections, read whenever another process has written to one.

use super::connection::{answered, store_error};
use crate::StoreError;
use std::{
    collections::HashMap,
    future::poll_fn,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Notify, watch},
    time::{Instant, sleep, timeout},
};
use tokio_postgres::{AsyncMessage, Client, Config, error::SqlState};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The interval at which versions are read, which also finds out whether the database is away, and the pause before the next attempt to
/// connect.
const POLL: Duration = Duration::from_millis(100);
/// The longest time for reading the versions. After it, the database counts as away.
const ANSWER: Duration = Duration::from_secs(1);

/// The versions of all sections.
pub(super) struct Changes {
    /// `None` until they were read for the first time.
    last: watch::Sender<Option<SectionVersions>>,
    listens: AtomicBool,
    /// Notified when the versions are to be read at once.
    wanted: Arc<Notify>,
}

/// The versions as they were read once, or the reason for which they could not be read.
#[derive(Debug, Clone)]
struct SectionVersions {
    /// The time just before the versions were read.
    began: Instant,
    versions: Result<HashMap<String, i64>, StoreError>,
}

impl SectionVersions {
    fn version(&self, section: &str) -> Result<i64, StoreError> {
        self.versions
            .as_ref()
            .map(|versions| versions.get(section).copied().unwrap_or_default())
            .map_err(Clone::clone)
    }
}

impl Changes {
    /// Follows the versions until the last handle is dropped.
    pub(super) fn follow(config: Config, connector: MakeRustlsConnect) -> Arc<Self> {
        let (last, listens, wanted) = (watch::Sender::new(None), AtomicBool::new(false), Arc::default());
        let changes = Arc::new(Self { last, listens, wanted });
        tokio::spawn(run(Arc::downgrade(&changes), config, connector));
        changes
    }

    /// Returns whether changes are notified of, and not only found by reading the versions.
    pub(super) fn listens(&self) -> bool {
        self.listens.load(Ordering::Relaxed)
    }

    /// Returns the version of a section; 0 while it is not known yet.
    ///
    /// # Errors
    /// The reason for which the versions could not be read last.
    pub(super) fn version(&self, section: &str) -> Result<i64, StoreError> {
        self.last.borrow().as_ref().map_or(Ok(0), |last| last.version(section))
    }

    /// Returns the version of a section, read after this method was called.
    ///
    /// # Errors
    /// The reason for which the versions cannot be read.
    pub(super) async fn current_version(&self, section: &str) -> Result<i64, StoreError> {
        let asked = Instant::now();
        let mut last = self.last.subscribe();
        self.wanted.notify_one();
        // A failure is followed by another attempt, for which nobody waits.
        let is_current = |last: &Option<SectionVersions>| {
            last.as_ref().is_some_and(|last| last.began >= asked || last.versions.is_err())
        };
        match timeout(ANSWER, last.wait_for(is_current)).await {
            Ok(Ok(last)) => last.as_ref().map_or(Ok(0), |last| last.version(section)),
            _ => Err(no_answer()),
        }
    }
}

/// Keeps a connection for as long as the versions are followed.
async fn run(changes: Weak<Changes>, config: Config, connector: MakeRustlsConnect) {
    while changes.strong_count() > 0 {
        let began = Instant::now();
        let error = match connect(&config, connector.clone()).await {
            Ok((client, notified)) => read(&changes, &client, &notified).await,
            Err(error) => error,
        };
        let Some(changes) = changes.upgrade() else { return };
        changes.listens.store(false, Ordering::Relaxed);
        changes.last.send_replace(Some(SectionVersions { began, versions: Err(error) }));
        drop(changes);
        sleep(POLL).await;
    }
}

/// Connects, and returns what is notified of each change by another process.
async fn connect(config: &Config, connector: MakeRustlsConnect) -> Result<(Client, Arc<Notify>), StoreError> {
    let (client, mut connection) = answered(config.connect(connector)).await?;
    let notified = Arc::new(Notify::new());
    let notify = notified.clone();
    tokio::spawn(async move {
        while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
            if matches!(message, AsyncMessage::Notification(_)) {
                notify.notify_one();
            }
        }
        // The reader finds the connection closed.
        notify.notify_one();
    });
    Ok((client, notified))
}

/// Reads the versions whenever they may have changed, until that fails or nobody follows them any more.
async fn read(changes: &Weak<Changes>, client: &Client, notified: &Notify) -> StoreError {
    let listens = client.batch_execute("LISTEN mgp").await.is_ok();
    let Some(wanted) = changes.upgrade().map(|changes| changes.wanted.clone()) else {
        return StoreError::new("nobody follows");
    };
    loop {
        let began = Instant::now();
        let query = client.query("SELECT section, version FROM mgp_sections", &[]);
        let Ok(rows) = timeout(ANSWER, query).await else {
            return no_answer();
        };
        let rows = match rows {
            Ok(rows) => rows,
            // Nothing was written yet.
            Err(error) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => Vec::new(),
            Err(error) => return store_error(&error),
        };
        let versions = rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?)));
        let versions = versions.collect::<Result<_, _>>().map_err(|error| store_error(&error));
        let Some(changes) = changes.upgrade() else { return StoreError::new("nobody follows") };
        changes.listens.store(listens, Ordering::Relaxed);
        changes.last.send_replace(Some(SectionVersions { began, versions }));
        drop(changes);
        tokio::select! {
            () = notified.notified() => {}
            () = wanted.notified() => {}
            () = sleep(POLL) => {}
        }
    }
}

fn no_answer() -> StoreError {
    StoreError::new(format!("PostgreSQL gave no answer within {} s", ANSWER.as_secs()))
}

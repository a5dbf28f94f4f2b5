//! The versions of all sections, read whenever another process has written to one.

use super::connection::{answered, store_error};
use crate::StoreError;
use parking_lot::Mutex;
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
    sync::Notify,
    time::{sleep, timeout},
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
    state: Mutex<Option<Result<HashMap<String, i64>, StoreError>>>,
    listens: AtomicBool,
}

impl Changes {
    /// Follows the versions until the last handle is dropped.
    pub(super) fn follow(config: Config, connector: MakeRustlsConnect) -> Arc<Self> {
        let changes = Arc::new(Self { state: Mutex::new(None), listens: AtomicBool::new(false) });
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
        match &*self.state.lock() {
            None => Ok(0),
            Some(Ok(versions)) => Ok(versions.get(section).copied().unwrap_or_default()),
            Some(Err(error)) => Err(error.clone()),
        }
    }
}

/// Keeps a connection for as long as the versions are followed.
async fn run(changes: Weak<Changes>, config: Config, connector: MakeRustlsConnect) {
    while changes.strong_count() > 0 {
        let error = match connect(&config, connector.clone()).await {
            Ok((client, notified)) => read(&changes, &client, &notified).await,
            Err(error) => error,
        };
        let Some(changes) = changes.upgrade() else { return };
        changes.listens.store(false, Ordering::Relaxed);
        *changes.state.lock() = Some(Err(error));
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
    loop {
        let query = client.query("SELECT section, version FROM mgp_sections", &[]);
        let Ok(rows) = timeout(ANSWER, query).await else {
            return StoreError::new(format!("PostgreSQL gave no answer within {} s", ANSWER.as_secs()));
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
        *changes.state.lock() = Some(versions);
        drop(changes);
        let _ = timeout(POLL, notified.notified()).await;
    }
}

//! Keeps a snapshot in step with a store that other processes may write to.

use std::{sync::Weak, time::Duration};

/// The interval at which a store is asked for its version.
const POLL: Duration = Duration::from_millis(100);

/// The owner of a snapshot of a store.
pub(crate) trait Followed: Send + Sync + 'static {
    /// Returns the version of the store, a number that changes when others have changed the store.
    fn version(&self) -> impl Future<Output = Result<i64, StoreError>> + Send;
    /// Reads the store into the snapshot.
    fn reload(&self) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Reloads the snapshot whenever the version of the store has changed, until the last handle is dropped.
pub(crate) async fn follow<T: Followed>(followed: Weak<T>) {
    let mut seen = None;
    let mut ticks = tokio::time::interval(POLL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let Some(followed) = followed.upgrade() else { return };
        if let Err(error) = step(&*followed, &mut seen).await {
            // The snapshot stays as it is; the next tick tries again.
            tracing::warn!(%error, "failed to follow a store");
        }
    }
}

async fn step<T: Followed>(followed: &T, seen: &mut Option<i64>) -> Result<(), StoreError> {
    let version = followed.version().await?;
    if *seen != Some(version) {
        followed.reload().await?;
        // Set only now, so that a failed reload is tried again.
        *seen = Some(version);
    }
    Ok(())
}

/// The error returned when a store cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("failed to use the store: {0}")]
pub struct StoreError(String);

impl StoreError {
    /// Creates an error with its reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// The rows of a store. A row that cannot be read does not keep the others from being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRows<T, U> {
    /// The rows that can be read.
    pub rows: Vec<T>,
    /// The rows that cannot be read.
    pub unreadable: Vec<U>,
}

impl<T, U> StoredRows<T, U> {
    /// Separates the rows that could be read from those that could not.
    pub fn of(read: impl IntoIterator<Item = Result<T, U>>) -> Self {
        let mut stored = Self { rows: Vec::new(), unreadable: Vec::new() };
        for row in read {
            match row {
                Ok(row) => stored.rows.push(row),
                Err(row) => stored.unreadable.push(row),
            }
        }
        stored
    }
}

/// Logs the unreadable rows that were not there before: each row is logged once, not at every reload.
pub(crate) fn log_unreadable<U: PartialEq + std::fmt::Display>(before: &[U], after: &[U]) {
    for row in after.iter().filter(|row| !before.contains(row)) {
        tracing::error!("{row}");
    }
}

//! Keeping a snapshot in step with a store that others write to.

use std::{sync::Weak, time::Duration};

/// How often a store is asked whether it has changed.
const POLL: Duration = Duration::from_millis(100);

/// Something that reads what a store holds into memory.
pub(crate) trait Followed: Send + Sync + 'static {
    /// A number that is another one when the store has changed.
    fn version(&self) -> impl Future<Output = Result<i64, StoreError>> + Send;
    /// Reads the store.
    fn reload(&self) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// Reads the store again whenever it has changed, until the last handle is dropped.
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
        // Only now: a reading that failed is tried again.
        *seen = Some(version);
    }
    Ok(())
}

/// Why a store could not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("failed to use the store: {0}")]
pub struct StoreError(String);

impl StoreError {
    /// An error with its reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// The rows that a store holds. One that cannot be read keeps none of the others from being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRows<T, U> {
    /// Those that can be read.
    pub rows: Vec<T>,
    /// Those that cannot.
    pub unreadable: Vec<U>,
}

impl<T, U> StoredRows<T, U> {
    /// Sorts rows by whether they could be read.
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

/// Logs each unreadable row once: those that were logged at the last reading are not logged again.
pub(crate) fn log_unreadable<U: PartialEq + std::fmt::Display>(before: &[U], after: &[U]) {
    for row in after.iter().filter(|row| !before.contains(row)) {
        tracing::error!("{row}");
    }
}

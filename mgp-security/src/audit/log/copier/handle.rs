//! Lets callers wait for the database.

use super::super::{database::AuditDatabase, health::Health};
use crate::audit::AuditError;
use parking_lot::Mutex;
use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Notify, oneshot},
    time::timeout,
};

/// The longest time for which an event waits until the database has it.
const WAIT: Duration = Duration::from_secs(10);

/// The point at which an event of a trail with a database counts as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confirmation {
    /// Once the local trail has it. It is copied later.
    #[default]
    Local,
    /// Once the database has it, or could not be reached. For a process that ends soon.
    Attempted,
    /// Once the database has it. While the database is away, actions are refused.
    Required,
}

/// A waiting caller.
type Caller = oneshot::Sender<Result<(), AuditError>>;

/// The copies of a local trail in a database.
#[derive(Debug)]
pub(in super::super) struct Copier {
    pub(in super::super) database: AuditDatabase,
    pub(in super::super) confirmation: Confirmation,
    /// The age from which days are removed from the database.
    pub(in super::super) age: Option<Duration>,
    /// The health of the database, if callers have to wait for it.
    pub(super) health: Health,
    waiting: Mutex<Vec<Caller>>,
    pub(super) wake: Notify,
    pub(super) is_ended: AtomicBool,
}

/// A handle to the copies, which end when it is dropped.
#[derive(Debug)]
pub(in super::super) struct CopierHandle(pub(super) Arc<Copier>);

impl Copier {
    pub(super) fn new(database: AuditDatabase, confirmation: Confirmation, age: Option<Duration>) -> Self {
        Self {
            database,
            confirmation,
            age,
            health: Health::default(),
            waiting: Mutex::default(),
            wake: Notify::new(),
            is_ended: AtomicBool::new(false),
        }
    }

    /// Takes the callers that wait for the events that are in the local trail now.
    pub(super) fn take_waiting(&self) -> Vec<Caller> {
        mem::take(&mut *self.waiting.lock())
    }

    async fn wait(&self) -> Result<(), AuditError> {
        let (caller, outcome) = oneshot::channel();
        self.waiting.lock().push(caller);
        self.wake.notify_one();
        match timeout(WAIT, outcome).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(AuditError::new("the copier is gone")),
            Err(_) => {
                let reason = format!("the database has not confirmed the event within {} s", WAIT.as_secs());
                self.health.fails(&reason, 1);
                Err(AuditError::new(&reason))
            }
        }
    }
}

impl CopierHandle {
    pub(in super::super) fn database(&self) -> &AuditDatabase {
        &self.0.database
    }

    /// Refuses an action while events must reach the database and cannot.
    pub(in super::super) fn admit(&self) -> Result<(), AuditError> {
        match self.0.confirmation {
            Confirmation::Required => self.0.health.admit(),
            Confirmation::Local | Confirmation::Attempted => Ok(()),
        }
    }

    /// Returns the copier, if an event that the local trail has waits for it.
    pub(in super::super) fn waits(&self) -> Option<Arc<Copier>> {
        (self.0.confirmation != Confirmation::Local).then(|| self.0.clone())
    }

    /// Waits until the database has every event that the local trail has now.
    pub(in super::super) async fn copied(&self) -> Result<(), AuditError> {
        self.0.wait().await
    }
}

impl Copier {
    /// Waits until the database has every event that the local trail has now, as far as events have to wait.
    pub(in super::super) async fn confirmed(&self) -> Result<(), AuditError> {
        let outcome = self.wait().await;
        if self.confirmation == Confirmation::Attempted {
            return outcome.or_else(|error| {
                tracing::warn!(%error, "the event is in the state folder, and is copied to the database later");
                Ok(())
            });
        }
        outcome
    }
}

impl Drop for CopierHandle {
    fn drop(&mut self) {
        self.0.is_ended.store(true, Ordering::Release);
        self.0.wake.notify_one();
    }
}

//! Transactions, and the requests about them.

use super::{
    Compensator, InsertBounds, InsertOutcome, TaskFollower, Transaction, TransactionCaller, TransactionEvent,
    TransactionKey, TransactionObserver, TransactionSettings, TransactionStore,
    check::{may_commit, may_roll_back},
    ended_tasks,
    errors::{checked_name, checked_text, conflict, unstored},
    gone,
    inner::Inner,
    rollback, watch,
};
use jiff::Timestamp;
use mgp_transport::seam::{Peer, TokenGrant};
use mgp_types::{
    context::Principal,
    error::ErrorCode,
    rpc::ErrorObject,
    transaction::{
        BeginTransactionParams, RollbackTransactionParams, TransactionParams, TransactionReport,
        TransactionState,
    },
};
use parking_lot::Mutex;
use std::{
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// The transactions of a process. Clones share them.
#[derive(Clone)]
pub struct Transactions(pub(super) Arc<Inner>);

impl Transactions {
    /// Creates the transactions of a store.
    #[must_use]
    pub fn new(store: Arc<dyn TransactionStore>, settings: TransactionSettings) -> Self {
        let (compensator, observer, follower) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let rolling = Mutex::default();
        Self(Arc::new(Inner { store, settings, compensator, observer, follower, rolling }))
    }

    /// Sets the compensator; later calls have no effect. From then on, abandoned transactions are rolled back for as long as this value or a
    /// clone of it exists. These are transactions of this process that are idle for too long, and those of ended processes. Needs a tokio
    /// runtime.
    pub fn start(&self, compensator: Arc<dyn Compensator>) {
        if self.0.compensator.set(compensator).is_ok() {
            tokio::spawn(watch::watch(Arc::downgrade(&self.0)));
        }
    }

    /// Sets the observer of transactions, once.
    pub fn observed_by(&self, observer: Arc<dyn TransactionObserver>) {
        // A second call has no effect.
        let _ = self.0.observer.set(observer);
    }

    /// Sets the follower of the tasks with which servers answer steps, once. Without one, the outcome of such a step is unknown.
    pub fn followed_by(&self, follower: Arc<dyn TaskFollower>) {
        // A second call has no effect.
        let _ = self.0.follower.set(follower);
    }

    /// Begins a transaction.
    ///
    /// # Errors
    /// -32602 for an invalid name or time; 4000 (`TRANSACTION_CONFLICT`) for a name that the caller has used; 3001 if the caller has too many
    /// transactions, or if the transaction cannot be stored.
    pub async fn begin(
        &self,
        caller: &Principal,
        params: BeginTransactionParams,
    ) -> Result<TransactionReport, ErrorObject> {
        let new = self.new_transaction(caller, params)?;
        let key = TransactionKey::new(caller, &new.id);
        let stored = self.0.store.insert(&key, new.clone(), self.bounds()).await;
        self.check_insert(&new.id, stored.map_err(|e| unstored(&e))?)?;
        self.0.tell(TransactionEvent::Begun, &new, Some(caller)).await;
        Ok(new.report())
    }

    /// Returns a transaction that begins now.
    ///
    /// # Errors
    /// -32602 for an invalid name or time.
    pub(super) fn new_transaction(
        &self,
        caller: &Principal,
        params: BeginTransactionParams,
    ) -> Result<Transaction, ErrorObject> {
        checked_name("transaction_id", &params.transaction_id)?;
        let timeout_seconds = self.check_begin(&params)?;
        let BeginTransactionParams { transaction_id: id, description, .. } = params;
        let now = Timestamp::now().as_microsecond();
        Ok(Transaction {
            id,
            caller: TransactionCaller::of(caller),
            state: TransactionState::Active,
            description,
            timeout_seconds,
            begun_at: now,
            active_at: now,
            reason: None,
            owner: self.0.store.me().to_owned(),
            steps: Vec::new(),
        })
    }

    /// Returns the bounds on the transactions of one caller.
    pub(super) fn bounds(&self) -> InsertBounds {
        InsertBounds { open: self.0.settings.open, over: self.0.settings.kept_each }
    }

    /// Checks the outcome of storing a new transaction.
    pub(super) fn check_insert(&self, id: &str, outcome: InsertOutcome) -> Result<(), ErrorObject> {
        match outcome {
            InsertOutcome::New => Ok(()),
            InsertOutcome::Exists => {
                Err(conflict(&format!("there is a transaction {id:?} already: expected a new name")))
            }
            InsertOutcome::Full => Err(ErrorCode::ResourceExhausted.error_unsent(format!(
                "{} transactions are open, which is the limit: commit some, or roll them back",
                self.0.settings.open
            ))),
        }
    }

    /// Checks the texts and the time of a new transaction, and returns the time in seconds.
    fn check_begin(&self, params: &BeginTransactionParams) -> Result<u64, ErrorObject> {
        let (default, most) = (self.0.settings.timeout.as_secs(), self.0.settings.max_timeout.as_secs());
        let timeout_seconds = params.timeout_seconds.unwrap_or(default.min(most));
        if !(1..=most).contains(&timeout_seconds) {
            return Err(ErrorObject::invalid_params(format!(
                "invalid timeout_seconds: expected 1 to {most}, found {timeout_seconds}"
            )));
        }
        checked_text("description", params.description.as_deref())?;
        Ok(timeout_seconds)
    }

    /// Ends a transaction, and keeps the effects of its steps. A repeated commit changes nothing. Waits up to five seconds for the end of a
    /// step whose task was reported as ended.
    ///
    /// # Errors
    /// 4004 for an unknown transaction; 4000 (`TRANSACTION_CONFLICT`) for one that is rolled back, or that has running steps.
    pub async fn commit(
        &self,
        caller: &Principal,
        params: TransactionParams,
    ) -> Result<TransactionReport, ErrorObject> {
        let key = TransactionKey::new(caller, &params.transaction_id);
        ended_tasks::settle(&self.0, &key, caller).await?;
        let (is_new, news) = change_flag();
        let commit = move |of: &mut Transaction| {
            if may_commit(of)? {
                of.active_at = Timestamp::now().as_microsecond();
                of.state = TransactionState::Committed;
                is_new.store(true, Ordering::Relaxed);
            }
            Ok(())
        };
        let of = self.0.update(&key, commit).await?;
        if news.load(Ordering::Relaxed) {
            self.0.tell(TransactionEvent::Committed, &of, Some(caller)).await;
        }
        Ok(of.report())
    }

    /// Undoes the steps of a transaction, and returns at the end of the rollback. If the transaction was rolled back in part, the failed
    /// calls are repeated.
    ///
    /// # Errors
    /// 4004 for an unknown transaction; 4000 (`TRANSACTION_CONFLICT`) for one that was committed.
    pub async fn rollback(
        &self,
        caller: &Principal,
        params: RollbackTransactionParams,
    ) -> Result<TransactionReport, ErrorObject> {
        self.rollback_for(caller, params, RollbackAsker::default()).await
    }

    /// Undoes the steps of a transaction, as [`rollback`](Self::rollback) does, for a host that confirms calls if needed. The host's
    /// credentials may allow less than those that the steps were made with.
    ///
    /// # Errors
    /// Those of [`rollback`](Self::rollback), and 1001 if the credentials do not allow a call that undoes a step.
    pub async fn rollback_for(
        &self,
        caller: &Principal,
        params: RollbackTransactionParams,
        RollbackAsker { granted, host }: RollbackAsker,
    ) -> Result<TransactionReport, ErrorObject> {
        let key = TransactionKey::new(caller, &params.transaction_id);
        checked_text("reason", params.reason.as_deref())?;
        let (me, reason) = (self.0.store.me().to_owned(), params.reason);
        let (is_new, news) = change_flag();
        let begin = move |of: &mut Transaction| {
            if may_roll_back(of, granted.as_ref())? {
                of.roll_back(reason, me);
                is_new.store(true, Ordering::Relaxed);
            }
            Ok(())
        };
        let of = self.0.update(&key, begin).await?;
        if news.load(Ordering::Relaxed) {
            self.0.tell(TransactionEvent::RollbackBegun, &of, Some(caller)).await;
        }
        if of.state == TransactionState::RollingBack {
            if of.owner != self.0.store.me() {
                // If its process runs, or if another process is faster, that process rolls it back.
                let _ = watch::take_over(&self.0, &key, of).await;
            }
            rollback::finish(&self.0, &key, host).await;
        }
        self.status(caller, &params.transaction_id).await
    }

    /// Returns the state of a transaction.
    ///
    /// # Errors
    /// 4004 for an unknown transaction.
    pub async fn status(&self, caller: &Principal, id: &str) -> Result<TransactionReport, ErrorObject> {
        Ok(gone::settled(&self.0, &TransactionKey::new(caller, id)).await?.report())
    }
}

/// The host that requests a rollback.
#[derive(Debug, Clone, Default)]
pub struct RollbackAsker {
    /// The credentials of the request.
    pub granted: Option<TokenGrant>,
    /// The host, which confirms calls if needed.
    pub host: Option<Peer>,
}

/// Returns two handles of a flag that a change sets if it modifies the transaction: for the change, and for its caller.
fn change_flag() -> (Arc<AtomicBool>, Arc<AtomicBool>) {
    let flag = Arc::new(AtomicBool::new(false));
    (flag.clone(), flag)
}

impl fmt::Debug for Transactions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { store, settings, .. } = &*self.0;
        f.debug_struct("Transactions")
            .field("store", store)
            .field("settings", settings)
            .finish_non_exhaustive()
    }
}

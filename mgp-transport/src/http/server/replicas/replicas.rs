//! The state of this replica: its entry in the store, and the places of sessions as they were read last.

use super::{ForwardToReplica, ReplicaTarget, ReplicatedSession};
use crate::{
    http::server::refusal::Refusal,
    seam::{BoxError, LogLimit, REPLICA_LAPSE, ReplicaName, ReplicaStore, StoredSession},
    sync::wait_until,
};
use mgp_types::hex;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Notify, Semaphore},
    time::{Instant, sleep, timeout},
};

/// The time limit of one question to the store.
const STORE_TIMEOUT: Duration = Duration::from_secs(1);

/// The time for which the place of a session, or the address of a replica, is not read again.
const FRESH: Duration = Duration::from_millis(500);

/// The time for which a store or a replica that gave no answer in time is not asked again, so that requests do not wait for it one after the
/// other.
const SILENCE: Duration = Duration::from_millis(500);

/// The most places of sessions that are remembered.
const MAX_PLACES: usize = 512;

/// The most sessions for which a lost answer of the store is remembered.
const MAX_UNCONFIRMED: usize = 10_000;

/// This replica, and its view of the others.
pub(in crate::http::server) struct Replicas {
    pub(in crate::http::server) store: Arc<dyn ReplicaStore>,
    pub(in crate::http::server) network: Arc<dyn ForwardToReplica>,
    /// The time just before the last renewal after which the sessions were known to be this replica's.
    renewed: Mutex<Option<Instant>>,
    /// True once the entry is no longer renewed.
    has_left: AtomicBool,
    places: Mutex<HashMap<String, (Instant, StoredSession)>>,
    addresses: Mutex<HashMap<String, (Instant, Option<String>)>>,
    /// The time at which the store last gave no answer in time.
    store_silent_at: Mutex<Option<Instant>>,
    /// The replicas that did not answer in time, and when.
    silent: Mutex<HashMap<String, Instant>>,
    /// The sessions that this replica is taking over.
    entering: Mutex<HashSet<String>>,
    /// The sessions that may be this replica's although they are not here, because the store's answer was lost when they were taken over.
    unconfirmed: Mutex<HashSet<String>>,
    /// Notified when a session is no longer being taken over.
    entered: Notify,
    /// The turn to ask for a renewal on behalf of a request.
    turns: Semaphore,
    warnings: LogLimit,
}

/// The sessions that are in this process.
pub(in crate::http::server) trait LocalSessions {
    /// Ends the sessions that other replicas have. `owned` has the sessions of this replica, each with its epoch. Returns the names of all
    /// others that are here.
    fn end_lost(&self, owned: &HashMap<String, i64>) -> HashSet<String>;
}

/// A session that this replica is taking over, until the guard is dropped.
pub(in crate::http::server) struct TakeOverGuard {
    replicas: Arc<Replicas>,
    key: String,
}

impl Drop for TakeOverGuard {
    fn drop(&mut self) {
        self.replicas.entering.lock().remove(&self.key);
        self.replicas.entered.notify_waiters();
    }
}

/// Returns the name of a session in the store, which does not reveal the session's secret.
pub(in crate::http::server) fn key_of(secret: &str) -> String {
    hex::encode(Sha256::digest(secret))
}

impl Replicas {
    pub(in crate::http::server) fn new(
        store: Arc<dyn ReplicaStore>,
        network: Arc<dyn ForwardToReplica>,
    ) -> Self {
        Self {
            store,
            network,
            renewed: Mutex::new(None),
            has_left: AtomicBool::new(false),
            places: Mutex::default(),
            addresses: Mutex::default(),
            store_silent_at: Mutex::default(),
            silent: Mutex::default(),
            entering: Mutex::default(),
            unconfirmed: Mutex::default(),
            entered: Notify::new(),
            turns: Semaphore::new(1),
            warnings: LogLimit::default(),
        }
    }

    /// Returns the name of this replica.
    pub(in crate::http::server) fn name(&self) -> ReplicaName {
        ReplicaName::new(self.store.id())
    }

    /// Returns a number that names the streams of a session. Other replicas number their sessions differently, so that the id of an event is
    /// never one of another session.
    pub(in crate::http::server) fn stream_number(&self, session: u64) -> u64 {
        let own = self.store.id().get(..16).and_then(|digits| u64::from_str_radix(digits, 16).ok());
        own.unwrap_or_default().wrapping_add(session)
    }

    /// Renews the entry of this replica. Returns `false` once the replica has left.
    pub(in crate::http::server) async fn keep(&self, sessions: &(dyn LocalSessions + Sync)) -> bool {
        if self.has_left.load(Ordering::Acquire) {
            return false;
        }
        if let Err(error) = self.renew(sessions).await
            && let Some(left_out) = self.warnings.admit()
        {
            tracing::warn!(%error, left_out, "other replicas may soon take this one for gone");
        }
        true
    }

    /// Marks this replica as gone, and stops the renewals.
    pub(in crate::http::server) async fn leave(&self) {
        self.has_left.store(true, Ordering::Release);
        if let Err(error) = in_time(self.store.leave()).await {
            tracing::debug!(%error, "the entry of this replica was not removed");
        }
    }

    /// Returns whether the other replicas know that this one runs.
    pub(in crate::http::server) fn is_current(&self) -> bool {
        self.renewed.lock().is_some_and(|renewed| renewed.elapsed() < REPLICA_LAPSE)
    }

    /// Checks that the other replicas know that this one runs, so that its sessions are still its own.
    ///
    /// # Errors
    /// Refuses the request if the store cannot be asked.
    pub(in crate::http::server) async fn check_current(
        &self,
        sessions: &(dyn LocalSessions + Sync),
    ) -> Result<(), Refusal> {
        if self.is_current() {
            return Ok(());
        }
        self.check_store().map_err(|error| unavailable(&*error))?;
        // Of many requests that find the store away, one at a time asks it.
        let Ok(Ok(_turn)) = timeout(STORE_TIMEOUT, self.turns.acquire()).await else {
            return Err(Refusal::unavailable("the store of the replicas gave no answer in time"));
        };
        if self.is_current() {
            return Ok(());
        }
        self.renew(sessions).await.map_err(|error| unavailable(&*error))
    }

    /// Renews the entry. If it had lapsed, others may have taken sessions over: these end here.
    async fn renew(&self, sessions: &(dyn LocalSessions + Sync)) -> Result<(), BoxError> {
        let before = Instant::now();
        self.noted(in_time(self.store.renew(self.network.address())).await)?;
        let is_lapsed = self.renewed.lock().is_none_or(|renewed| renewed.elapsed() >= REPLICA_LAPSE);
        if is_lapsed {
            self.end_lost(sessions).await?;
        }
        *self.renewed.lock() = Some(before);
        Ok(())
    }

    /// Ends the sessions that other replicas have, and removes entries of sessions that have ended here.
    async fn end_lost(&self, sessions: &(dyn LocalSessions + Sync)) -> Result<(), BoxError> {
        let owned: HashMap<_, _> = in_time(self.store.owned()).await?.into_iter().collect();
        let here = sessions.end_lost(&owned);
        for (key, epoch) in owned {
            if !here.contains(&key) && !self.is_entering(&key) && !self.is_unconfirmed(&key) {
                in_time(self.store.close(&key, epoch)).await?;
            }
        }
        Ok(())
    }

    /// Returns the place of a session: as it was read a moment ago, or from the store.
    pub(in crate::http::server) async fn place(&self, key: &str) -> Result<Option<StoredSession>, Refusal> {
        if let Some((read_at, place)) = self.places.lock().get(key)
            && read_at.elapsed() < FRESH
        {
            return Ok(Some(place.clone()));
        }
        let place = self.ask(self.store.find(key)).await.map_err(|error| unavailable(&*error))?;
        if let Some(mut place) = place.clone().filter(|place| place.address.is_some()) {
            // Only a session without an owner is restored, and it is always read again.
            place.record.subscriptions = Vec::new();
            let mut places = self.places.lock();
            places.retain(|_, (read_at, _)| read_at.elapsed() < FRESH);
            if places.len() < MAX_PLACES {
                places.insert(key.to_owned(), (Instant::now(), place));
            }
        }
        Ok(place)
    }

    /// Forgets the place of a session, which turned out to be wrong.
    pub(in crate::http::server) fn forget(&self, key: &str) {
        self.places.lock().remove(key);
    }

    /// Returns the replica with an id; `None` if it is gone.
    pub(in crate::http::server) async fn target(&self, id: &str) -> Result<Option<ReplicaTarget>, Refusal> {
        let known = self.addresses.lock().get(id).filter(|(at, _)| at.elapsed() < FRESH).cloned();
        let address = match known {
            Some((_, address)) => address,
            None => {
                let address = self.ask(self.store.address(id)).await.map_err(|error| unavailable(&*error))?;
                let mut addresses = self.addresses.lock();
                addresses.retain(|_, (read_at, _)| read_at.elapsed() < FRESH);
                addresses.insert(id.to_owned(), (Instant::now(), address.clone()));
                address
            }
        };
        Ok(address.map(|address| ReplicaTarget { id: id.to_owned(), address }))
    }

    /// Asks the store, unless it gave no answer in time a moment ago.
    pub(in crate::http::server) async fn ask<T>(
        &self,
        asked: impl Future<Output = Result<T, BoxError>>,
    ) -> Result<T, BoxError> {
        self.check_store()?;
        self.noted(in_time(asked).await)
    }

    /// Notes whether the store answered in time.
    fn noted<T>(&self, answer: Result<T, BoxError>) -> Result<T, BoxError> {
        match &answer {
            Ok(_) => *self.store_silent_at.lock() = None,
            Err(error) if error.is::<LateStore>() => *self.store_silent_at.lock() = Some(Instant::now()),
            Err(_) => {}
        }
        answer
    }

    /// Returns an error if the store gave no answer in time a moment ago.
    fn check_store(&self) -> Result<(), BoxError> {
        match *self.store_silent_at.lock() {
            Some(at) if at.elapsed() < SILENCE => Err("the store gave no answer a moment ago".into()),
            _ => Ok(()),
        }
    }

    /// Notes that a replica did not answer in time.
    pub(in crate::http::server) fn note_silent(&self, id: &str) {
        let mut silent = self.silent.lock();
        silent.retain(|_, at| at.elapsed() < SILENCE);
        silent.insert(id.to_owned(), Instant::now());
    }

    /// Returns whether a replica did not answer in time a moment ago.
    pub(in crate::http::server) fn is_silent(&self, id: &str) -> bool {
        self.silent.lock().get(id).is_some_and(|at| at.elapsed() < SILENCE)
    }

    /// Waits until a replica is gone.
    pub(in crate::http::server) async fn gone(self: Arc<Self>, id: String) {
        loop {
            sleep(FRESH).await;
            if matches!(self.target(&id).await, Ok(None)) {
                return;
            }
        }
    }

    /// Waits until a replica is gone, or until this one has left. A stream of another replica would keep this one from ending.
    pub(in crate::http::server) async fn gone_or_left(self: Arc<Self>, id: String) {
        let left = async {
            while !self.has_left.load(Ordering::Acquire) {
                sleep(FRESH).await;
            }
        };
        tokio::select! {
            () = self.clone().gone(id) => {}
            () = left => {}
        }
    }

    /// Begins to take a session over; `None` while another request does so.
    pub(in crate::http::server) fn enter(self: &Arc<Self>, key: &str) -> Option<TakeOverGuard> {
        let is_first = self.entering.lock().insert(key.to_owned());
        is_first.then(|| TakeOverGuard { replicas: self.clone(), key: key.to_owned() })
    }

    /// Returns whether this replica is taking a session over.
    pub(in crate::http::server) fn is_entering(&self, key: &str) -> bool {
        self.entering.lock().contains(key)
    }

    /// Takes a session over in the store. Returns whether it is this replica's now.
    pub(in crate::http::server) async fn take(
        &self,
        key: &str,
        from: &StoredSession,
    ) -> Result<bool, BoxError> {
        let taken = self.ask(self.store.take_over(key, from)).await;
        let mut unconfirmed = self.unconfirmed.lock();
        match &taken {
            Ok(true) => unconfirmed.remove(key),
            // An earlier attempt whose answer was lost may have succeeded meanwhile.
            Ok(false) => false,
            Err(_) if unconfirmed.len() < MAX_UNCONFIRMED => unconfirmed.insert(key.to_owned()),
            Err(_) => false,
        };
        taken
    }

    /// Returns whether a session may be this replica's although it is not here.
    pub(in crate::http::server) fn is_unconfirmed(&self, key: &str) -> bool {
        self.unconfirmed.lock().contains(key)
    }

    /// Waits until this replica is no longer taking a session over.
    pub(in crate::http::server) async fn entered(&self, key: &str) {
        wait_until(&self.entered, || !self.is_entering(key)).await;
    }

    /// Gives up a session, so that another replica can take it over at once.
    pub(in crate::http::server) async fn release(&self, session: &ReplicatedSession) {
        if let Err(error) = in_time(self.store.release(&session.key, session.epoch)).await {
            tracing::debug!(%error, "a session was not handed over: other replicas wait until this one is gone");
        }
    }

    /// Removes the entry of a session that has ended. While this replica shuts down, its sessions continue elsewhere.
    pub(in crate::http::server) async fn ended(&self, session: &ReplicatedSession) {
        if let Err(error) = in_time(self.store.close(&session.key, session.epoch)).await {
            tracing::debug!(%error, "the entry of a session that has ended was not removed");
        }
    }
}

/// Waits for the store, within its time limit.
pub(in crate::http::server) async fn in_time<T>(
    asked: impl Future<Output = Result<T, BoxError>>,
) -> Result<T, BoxError> {
    timeout(STORE_TIMEOUT, asked).await.unwrap_or_else(|_| Err(LateStore.into()))
}

/// The error of a store that gave no answer in time.
#[derive(Debug, thiserror::Error)]
#[error("the store gave no answer within {STORE_TIMEOUT:?}")]
struct LateStore;

/// Creates the refusal of a request for a session while the store is away. The request may be retried.
pub(in crate::http::server) fn unavailable(error: &(dyn std::error::Error + Send + Sync)) -> Refusal {
    tracing::warn!(%error, "the store of the replicas cannot be asked");
    Refusal::unavailable("the store of the replicas cannot be asked for the session")
}

impl fmt::Debug for Replicas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replicas").field("id", &self.store.id()).finish_non_exhaustive()
    }
}

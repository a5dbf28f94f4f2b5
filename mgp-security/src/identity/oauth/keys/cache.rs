//! A cache of an issuer's keys.

use super::{
    KeySet,
    discovery::{self, KeysNotFetched},
};
use mgp_transport::seam::Fetch;
use parking_lot::Mutex;
use std::{fmt, sync::Arc, time::Duration};
use tokio::{sync::watch, time::Instant};

/// The lifetime of an issuer's keys, and the limits on fetching them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyTimes {
    /// The age after which keys are fetched again, in the background of the next request that uses them.
    pub refresh: Duration,
    /// The age after which keys that could not be fetched again are no longer used.
    pub expire: Duration,
    /// The least time between two attempts, for tokens with any key and any signature.
    pub interval: Duration,
    /// The time limit of one attempt.
    pub limit: Duration,
}

impl Default for KeyTimes {
    fn default() -> Self {
        Self {
            refresh: Duration::from_secs(15 * 60),
            expire: Duration::from_secs(60 * 60),
            interval: Duration::from_secs(30),
            limit: Duration::from_secs(10),
        }
    }
}

/// The source of an issuer's keys.
#[derive(Debug, Clone)]
pub(in super::super) enum Source {
    /// The keys themselves, which never change.
    Given(KeySet),
    /// The URL of the key set.
    Url(String),
    /// The name of the issuer, whose metadata holds the URL of the key set.
    Discovered(String),
}

/// The error returned when there is no key for a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum NoKey {
    /// The issuer has no such key.
    Unknown,
    /// The keys of the issuer cannot be fetched.
    Unavailable,
}

/// A cache of an issuer's keys. Clones share the keys.
#[derive(Clone)]
pub(in super::super) struct KeyCache(Arc<Inner>);

struct Inner {
    source: Source,
    /// `None` if nothing has to be fetched.
    fetch: Option<Arc<dyn Fetch>>,
    times: KeyTimes,
    state: Mutex<State>,
    /// The number of attempts that have ended.
    ended: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    keys: Option<(Arc<KeySet>, Instant)>,
    tried: Option<Instant>,
    /// True if the last attempt that ended has failed.
    failed: bool,
    fetching: bool,
}

impl KeyCache {
    pub(in super::super) fn new(source: Source, fetch: Option<Arc<dyn Fetch>>, times: KeyTimes) -> Self {
        let (state, ended) = (Mutex::default(), watch::Sender::new(0));
        Self(Arc::new(Inner { source, fetch, times, state, ended }))
    }

    /// Returns whether a signature is valid. `look` checks the signature with the keys, and returns `None` if no key can have made it.
    ///
    /// Unless `look` returns `Some(true)`, the keys are fetched again if an attempt is due: the issuer may have replaced a key, which a
    /// token without a key id does not reveal. All waiting callers share one attempt. If the keys cannot be fetched, the old ones
    /// decide until they expire.
    pub(in super::super) async fn judge(
        &self,
        look: impl Fn(&KeySet) -> Option<bool>,
    ) -> Result<bool, NoKey> {
        if let Source::Given(keys) = &self.0.source {
            return look(keys).ok_or(NoKey::Unknown);
        }
        if let Some((keys, age)) = self.current()
            && look(&keys) == Some(true)
        {
            if age > self.0.times.refresh {
                self.start();
            }
            return Ok(true);
        }
        self.refresh().await;
        if let Some(right) = self.current().and_then(|(keys, _)| look(&keys)) {
            return Ok(right);
        }
        let state = self.0.state.lock();
        Err(if state.failed || state.keys.is_none() { NoKey::Unavailable } else { NoKey::Unknown })
    }

    /// Returns the time after which the next attempt may be made.
    pub(in super::super) fn retry_after(&self) -> Duration {
        self.0.times.interval
    }

    /// Returns the keys and their age, unless they have expired.
    fn current(&self) -> Option<(Arc<KeySet>, Duration)> {
        let state = self.0.state.lock();
        let (keys, fetched) = state.keys.as_ref()?;
        let age = fetched.elapsed();
        (age <= self.0.times.expire).then(|| (keys.clone(), age))
    }

    /// Waits for the running attempt, or for a new one if one is due.
    async fn refresh(&self) {
        // Subscribed before the start, because the attempt may end before this waits.
        let mut ended = self.0.ended.subscribe();
        if self.start() {
            // The sender lives as long as the cache.
            let _ = ended.changed().await;
        }
    }

    /// Starts an attempt if one is due and none is running. Returns whether an attempt is running. An attempt runs as a separate
    /// task, so a cancelled caller does not end the attempt for the others.
    fn start(&self) -> bool {
        let mut state = self.0.state.lock();
        if state.fetching {
            return true;
        }
        if state.tried.is_some_and(|tried| tried.elapsed() < self.0.times.interval) {
            return false;
        }
        state.tried = Some(Instant::now());
        state.fetching = true;
        drop(state);
        let attempt = Attempt(self.0.clone());
        tokio::spawn(async move { attempt.run().await });
        true
    }
}

impl Inner {
    async fn fetched(&self) -> Result<KeySet, KeysNotFetched> {
        let Some(fetch) = self.fetch.as_deref() else { return Err(KeysNotFetched::NoMetadata) };
        let url = match &self.source {
            Source::Given(keys) => return Ok(keys.clone()),
            Source::Url(url) => url.clone(),
            Source::Discovered(issuer) => discovery::jwks_url(fetch, issuer).await?,
        };
        Ok(KeySet::parse(&discovery::get(fetch, &url).await?)?)
    }
}

/// One attempt to fetch the keys. Waiting callers are notified of its end even if the attempt panics.
struct Attempt(Arc<Inner>);

impl Attempt {
    async fn run(self) {
        let fetched = tokio::time::timeout(self.0.times.limit, self.0.fetched()).await;
        let mut state = self.0.state.lock();
        match fetched.unwrap_or(Err(KeysNotFetched::TimedOut)) {
            Ok(keys) => {
                tracing::debug!(source = ?self.0.source, keys = keys.len(), "fetched an issuer's keys");
                state.keys = Some((Arc::new(keys), Instant::now()));
                state.failed = false;
            }
            Err(error) => {
                tracing::warn!(source = ?self.0.source, %error, "failed to fetch an issuer's keys");
                state.failed = true;
            }
        }
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        self.0.state.lock().fetching = false;
        self.0.ended.send_modify(|count| *count += 1);
    }
}

impl fmt::Debug for KeyCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyCache").field("source", &self.0.source).finish_non_exhaustive()
    }
}

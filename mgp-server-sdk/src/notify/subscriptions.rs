//! Which resources a session's client wants to hear of.

use mgp_transport::seam::Session;
use mgp_types::{error::ErrorCode, rpc::ErrorObject};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// How many resources one session may subscribe to.
const LIMIT: usize = 1024;

/// Which resources a session's client wants to hear of. A clone is the same session's.
#[derive(Debug, Clone, Default)]
pub struct Subscriptions(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    uris: Mutex<HashSet<String>>,
    removed: Notify,
}

impl Subscriptions {
    /// Those of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.get_or_insert_with(Self::default)
    }

    /// Adds a resource, by its URI.
    ///
    /// # Errors
    /// 3001 where there are too many.
    pub fn add(&self, uri: String) -> Result<(), ErrorObject> {
        let mut uris = self.lock();
        if uris.len() >= LIMIT && !uris.contains(&uri) {
            let problem = format!("too many subscriptions: {LIMIT} are allowed in one session");
            return Err(ErrorCode::ResourceExhausted.error(problem));
        }
        uris.insert(uri);
        Ok(())
    }

    /// Gives a resource up.
    pub fn remove(&self, uri: &str) {
        self.lock().remove(uri);
        self.0.removed.notify_waiters();
    }

    /// Ends when a resource is given up.
    pub async fn removed(&self, uri: &str) {
        loop {
            let removed = self.0.removed.notified();
            if !self.contains(uri) {
                return;
            }
            removed.await;
        }
    }

    /// Whether a resource is among them.
    #[must_use]
    pub fn contains(&self, uri: &str) -> bool {
        self.lock().contains(uri)
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.uris.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

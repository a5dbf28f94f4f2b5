//! The resources that a session's client has subscribed to.

use mgp_transport::seam::Session;
use mgp_types::{error::ErrorCode, rpc::ErrorObject};
use parking_lot::Mutex;
use std::{collections::HashSet, sync::Arc};
use tokio::sync::Notify;

/// The most resources that one session may subscribe to.
const LIMIT: usize = 1024;

/// The resources that a session's client has subscribed to. Clones belong to the same session.
#[derive(Debug, Clone, Default)]
pub struct Subscriptions(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    uris: Mutex<HashSet<String>>,
    removed: Notify,
}

impl Subscriptions {
    /// Returns the subscriptions of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        session.get_or_insert_with(Self::default)
    }

    /// Adds a resource, by its URI.
    ///
    /// # Errors
    /// Returns 3001 if the session has too many subscriptions.
    pub fn add(&self, uri: String) -> Result<(), ErrorObject> {
        let mut uris = self.0.uris.lock();
        if uris.len() >= LIMIT && !uris.contains(&uri) {
            let problem = format!("too many subscriptions: {LIMIT} are allowed in one session");
            return Err(ErrorCode::ResourceExhausted.error(problem));
        }
        uris.insert(uri);
        Ok(())
    }

    /// Removes a resource, by its URI.
    pub fn remove(&self, uri: &str) {
        self.0.uris.lock().remove(uri);
        self.0.removed.notify_waiters();
    }

    /// Waits until a resource is removed.
    pub async fn removed(&self, uri: &str) {
        loop {
            let removed = self.0.removed.notified();
            if !self.contains(uri) {
                return;
            }
            removed.await;
        }
    }

    /// Returns `true` if the session has subscribed to a resource.
    #[must_use]
    pub fn contains(&self, uri: &str) -> bool {
        self.0.uris.lock().contains(uri)
    }
}

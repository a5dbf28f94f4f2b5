//! Which resources a session's client wants to hear of.

use mgp_transport::seam::Session;
use mgp_types::{error::ErrorCode, rpc::ErrorObject};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How many resources one session may subscribe to.
const LIMIT: usize = 1024;

/// Which resources a session's client wants to hear of. A clone is the same session's.
#[derive(Debug, Clone, Default)]
pub(crate) struct Subscriptions(Arc<Mutex<HashSet<String>>>);

impl Subscriptions {
    /// Those of a session.
    pub(crate) fn of(session: &Session) -> Self {
        session.get_or_insert_with(Self::default)
    }

    pub(crate) fn add(&self, uri: String) -> Result<(), ErrorObject> {
        let mut uris = self.lock();
        if uris.len() >= LIMIT && !uris.contains(&uri) {
            let problem = format!("too many subscriptions: {LIMIT} are allowed in one session");
            return Err(ErrorCode::ResourceExhausted.error(problem));
        }
        uris.insert(uri);
        Ok(())
    }

    pub(crate) fn remove(&self, uri: &str) {
        self.lock().remove(uri);
    }

    pub(crate) fn contains(&self, uri: &str) -> bool {
        self.lock().contains(uri)
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

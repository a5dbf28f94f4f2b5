//! The subscriptions of one session.

use super::MAX_SUBSCRIPTIONS;
use mgp_transport::seam::Session;
use mgp_types::{error::ErrorCode, rpc::ErrorObject};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};
use tokio::sync::oneshot;

/// The subscriptions of one session, by their ids. Clones belong to the same session.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionSubscriptions(Arc<Mutex<Subscriptions>>);

#[derive(Debug, Default)]
struct Subscriptions {
    count: u64,
    /// Dropped to end a subscription.
    running: HashMap<String, oneshot::Sender<()>>,
}

/// A subscription's place in its session, which is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) id: String,
    session: SessionSubscriptions,
    ended: oneshot::Receiver<()>,
}

impl SessionSubscriptions {
    pub(super) fn of(session: &Session) -> Self {
        session.get_or_insert_with(Self::default)
    }

    /// Takes a place for one more subscription.
    ///
    /// # Errors
    /// 3001 if the session has too many subscriptions.
    pub(super) fn take_place(&self) -> Result<Place, ErrorObject> {
        let mut subscriptions = self.0.lock();
        if subscriptions.running.len() >= MAX_SUBSCRIPTIONS {
            let problem = format!(
                "too many subscriptions to events: {MAX_SUBSCRIPTIONS} are allowed in one session: name more \
                 channels in one, or end one with mgp/events/unsubscribe"
            );
            return Err(ErrorCode::ResourceExhausted.error(problem));
        }
        subscriptions.count += 1;
        let id = format!("sub-{}", subscriptions.count);
        let (end, ended) = oneshot::channel();
        subscriptions.running.insert(id.clone(), end);
        Ok(Place { id, session: self.clone(), ended })
    }

    /// Ends a subscription. Returns whether there was one.
    pub(super) fn end(&self, id: &str) -> bool {
        self.0.lock().running.remove(id).is_some()
    }
}

impl Place {
    /// Waits until the subscription is ended.
    pub(super) async fn ended(&mut self) {
        let _ = (&mut self.ended).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.session.end(&self.id);
    }
}

//! The state that the transactions of a process share.

use super::{
    Compensator, TaskFollower, Transaction, TransactionEvent, TransactionKey, TransactionObserver,
    TransactionSettings, TransactionStore,
    errors::{unknown, unstored},
};
use mgp_transport::seam::Peer;
use mgp_types::{context::Principal, rpc::ErrorObject};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

/// The state that the transactions of a process share.
pub(super) struct Inner {
    pub(super) store: Arc<dyn TransactionStore>,
    pub(super) settings: TransactionSettings,
    pub(super) compensator: OnceLock<Arc<dyn Compensator>>,
    pub(super) observer: OnceLock<Arc<dyn TransactionObserver>>,
    pub(super) follower: OnceLock<Arc<dyn TaskFollower>>,
    /// The transactions that this process is rolling back, each with the host to ask.
    pub(super) rolling: Mutex<HashMap<TransactionKey, Option<Peer>>>,
}

impl Inner {
    /// Reports an event to the observer, if there is one.
    pub(super) async fn tell(&self, event: TransactionEvent, of: &Transaction, by: Option<&Principal>) {
        if let Some(observer) = self.observer.get() {
            observer.observe(event, of, by).await;
        }
    }

    /// Changes a transaction.
    pub(super) async fn update(
        &self,
        key: &TransactionKey,
        change: impl FnOnce(&mut Transaction) -> Result<(), ErrorObject> + Send + 'static,
    ) -> Result<Transaction, ErrorObject> {
        let updated = self.store.update(key, Box::new(change)).await.map_err(|error| unstored(&error))?;
        updated.unwrap_or_else(|| Err(unknown(&key.id)))
    }
}

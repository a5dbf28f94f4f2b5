//! The renewal of subscriptions after a session over HTTP was opened again, because the server had forgotten it.

use super::session::{SessionListeners, report, within};
use crate::client::caller::Caller;
use mgp_types::mcp::{ResourceUri, SetLevel, SetLevelParams, SubscribeResource};
use std::sync::Weak;
use tokio::sync::watch;

impl SessionListeners {
    /// Subscribes again each time the session was opened again, and reports everything as changed: the server has forgotten the
    /// subscriptions, and it is unknown what has changed since.
    pub(in crate::client) async fn keep(self, caller: Caller, mut renewals: watch::Receiver<u64>) {
        loop {
            tokio::select! {
                renewed = renewals.changed() => if renewed.is_err() { return },
                () = caller.peer.closed() => return,
            }
            self.ask_again(&caller).await;
            for changes in self.listeners.lock().iter().filter_map(Weak::upgrade) {
                changes.all();
            }
        }
    }

    async fn ask_again(&self, caller: &Caller) {
        let level = *self.log_level.lock();
        if let Some(level) = level {
            let params = SetLevelParams { level, meta: None };
            report(within::<SetLevel>(caller, &params).await);
        }
        for uri in self.resources.lock().await.keys() {
            report(within::<SubscribeResource>(caller, &ResourceUri::new(uri)).await);
        }
    }
}

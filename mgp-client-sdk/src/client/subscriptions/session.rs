//! Subscriptions in the era of `initialize`: all of them get the session's notifications, and the server is asked for single resources.

use super::changes::Changes;
use crate::client::caller::Caller;
use mgp_transport::seam::CallError;
use mgp_types::{
    error::ErrorCode,
    mcp::{
        LoggingLevel, ResourceUri, ServerCapabilities, SubscribeResource, UnsubscribeResource,
        stateless::SubscriptionFilter,
    },
    rpc::{Call, RawParams},
};
use parking_lot::Mutex;
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Weak},
};

/// The subscriptions of a session, and its log level. Clones share the same state.
#[derive(Debug, Clone, Default)]
pub(in crate::client) struct SessionListeners {
    pub(super) listeners: Arc<Mutex<Vec<Weak<Changes>>>>,
    /// The number of subscriptions that want each resource. The lock is held while the server is asked, so the requests are sent in
    /// the order in which the numbers change.
    pub(super) resources: Arc<tokio::sync::Mutex<HashMap<String, usize>>>,
    /// The lowest level of the session's log that is wanted.
    pub(super) log_level: Arc<Mutex<Option<LoggingLevel>>>,
}

impl SessionListeners {
    /// Adds a subscription, which gets the session's notifications for as long as it lives.
    pub(super) fn join(&self, changes: &Arc<Changes>) {
        let mut listeners = self.listeners.lock();
        listeners.retain(|known| known.strong_count() > 0);
        listeners.push(Arc::downgrade(changes));
    }

    /// Passes a notification of the session to all subscriptions.
    pub(in crate::client) fn tell(&self, method: &str, params: &RawParams) {
        for changes in self.listeners.lock().iter().filter_map(Weak::upgrade) {
            changes.take(method, params);
        }
    }

    /// Stores the lowest level of the session's log that is wanted.
    pub(in crate::client) fn wants_log(&self, level: LoggingLevel) {
        *self.log_level.lock() = Some(level);
    }

    /// Subscribes to the resources that are newly wanted, and unsubscribes from those that are no longer wanted.
    pub(super) async fn change(
        &self,
        caller: &Caller,
        changes: &Changes,
        wanted: SubscriptionFilter,
    ) -> Result<(), CallError> {
        let had = changes.filter().resource_subscriptions;
        for uri in wanted.resource_subscriptions.iter().filter(|uri| !had.contains(uri)) {
            self.acquire(caller, changes, uri).await?;
        }
        let gone = had.iter().filter(|uri| !wanted.resource_subscriptions.contains(uri));
        let gone: Vec<String> = gone.cloned().collect();
        changes.set_filter(wanted);
        self.release(caller, gone).await;
        Ok(())
    }

    async fn acquire(&self, caller: &Caller, changes: &Changes, uri: &str) -> Result<(), CallError> {
        let mut resources = self.resources.lock().await;
        if !resources.contains_key(uri) {
            within::<SubscribeResource>(caller, &ResourceUri::new(uri)).await?;
        }
        *resources.entry(uri.to_owned()).or_default() += 1;
        changes.change_filter(|filter| filter.resource_subscriptions.push(uri.to_owned()));
        Ok(())
    }

    /// Releases resources of a subscription. The server is told of those that no other subscription wants.
    pub(super) async fn release(&self, caller: &Caller, uris: Vec<String>) {
        for uri in uris {
            let mut resources = self.resources.lock().await;
            let Some(count) = resources.get_mut(&uri) else { continue };
            *count -= 1;
            if *count > 0 {
                continue;
            }
            resources.remove(&uri);
            report(within::<UnsubscribeResource>(caller, &ResourceUri::new(&uri)).await);
        }
    }
}

/// Returns the part of `wanted` that a server of this era reports. Each single resource is listed once, because the server is asked
/// for one resource at a time.
pub(super) fn offered(
    mut wanted: SubscriptionFilter,
    capabilities: &ServerCapabilities,
) -> SubscriptionFilter {
    wanted.tools_list_changed &= capabilities.list_changed("tools");
    wanted.prompts_list_changed &= capabilities.list_changed("prompts");
    wanted.resources_list_changed &= capabilities.list_changed("resources");
    wanted.mgp = None;
    let mut known = HashSet::new();
    wanted.resource_subscriptions.retain(|uri| known.insert(uri.clone()));
    wanted
}

pub(super) async fn within<C: Call>(caller: &Caller, params: &C::Params) -> Result<(), CallError> {
    let limit = caller.limits.subscribe_time_limit;
    match tokio::time::timeout(limit, caller.request::<C>(params)).await {
        Ok(result) => result.map(drop),
        Err(_) => {
            let message = format!("the server did not answer {} within {limit:?}", C::METHOD);
            Err(CallError::Peer(ErrorCode::Timeout.error(message)))
        }
    }
}

/// Logs the error of a request whose outcome nobody waits for.
pub(super) fn report(outcome: Result<(), CallError>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "the server did not take what it was asked for");
    }
}

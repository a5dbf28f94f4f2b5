//! Subscriptions in the era of `initialize`: the session's notifications reach all of them, and single resources are asked for.

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
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

/// The subscriptions of a session, and its log level. A clone is the same.
#[derive(Debug, Clone, Default)]
pub(in crate::client) struct SessionListeners {
    listeners: Arc<Mutex<Vec<Weak<Changes>>>>,
    /// How many subscriptions want a resource. Held while the server is asked, so that it is asked in the order of what is counted.
    pub(super) resources: Arc<tokio::sync::Mutex<HashMap<String, usize>>>,
    /// From which level on the session's log is wanted.
    pub(super) log_level: Arc<Mutex<Option<LoggingLevel>>>,
}

impl SessionListeners {
    /// Adds one that is told of the session's notifications for as long as it lives.
    pub(super) fn join(&self, changes: &Arc<Changes>) {
        let mut listeners = self.lock();
        listeners.retain(|known| known.strong_count() > 0);
        listeners.push(Arc::downgrade(changes));
    }

    /// Tells of a notification of the session.
    pub(in crate::client) fn tell(&self, method: &str, params: &RawParams) {
        for changes in self.lock().iter().filter_map(Weak::upgrade) {
            changes.take(method, params);
        }
    }

    /// Notes from which level on the session's log is wanted.
    pub(in crate::client) fn wants_log(&self, level: LoggingLevel) {
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    /// Asks for what one wants more than it has, and no longer for what it does not want any more.
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

    /// Gives back what was asked for. The server hears of what nobody wants any more.
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

    pub(super) fn lock(&self) -> MutexGuard<'_, Vec<Weak<Changes>>> {
        // Every critical section only moves whole values.
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a server of the era tells of what is wanted. Single resources are asked for one by one, each once.
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

/// Tells the log of a server that did not take what nobody waits for.
pub(super) fn report(outcome: Result<(), CallError>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "the server did not take what it was asked for");
    }
}

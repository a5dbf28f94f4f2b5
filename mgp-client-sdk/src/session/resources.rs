//! The resources that the server of a session is asked to report, in the era of `initialize`: one request for each.

use super::{
    ServerSession,
    subscription::{Gap, ListenLimits, Listener},
};
use mgp_transport::seam::{CallError, CallEvent};
use mgp_types::{
    error::ErrorCode,
    mcp::{ResourceUri, SubscribeResource, SubscriptionFilter, UnsubscribeResource},
    rpc::{Call, RawParams},
};
use parking_lot::Mutex;
use std::{
    collections::{BTreeSet, HashSet},
    sync::{Arc, Weak},
};
use tokio::sync::watch;

/// The resources that the server of a session is asked to report, and the subscriptions that want them.
#[derive(Debug, Default)]
pub(super) struct Resources {
    /// Locked while the server is asked, so that the requests are sent in the order of the wishes.
    asked: tokio::sync::Mutex<BTreeSet<String>>,
    subscribed: Mutex<Vec<Weak<Subscribed>>>,
}

/// A subscription of a session.
pub(super) struct Subscribed {
    listener: Arc<dyn Listener>,
    limits: ListenLimits,
    filter: Mutex<SubscriptionFilter>,
}

impl ServerSession {
    /// Adds a subscription, which is renewed with the session for as long as it lives.
    pub(super) fn join(&self, listener: Arc<dyn Listener>, limits: ListenLimits) -> Arc<Subscribed> {
        let joined = Arc::new(Subscribed { listener, limits, filter: Mutex::default() });
        let mut subscribed = self.resources.subscribed.lock();
        subscribed.retain(|known| known.strong_count() > 0);
        subscribed.push(Arc::downgrade(&joined));
        joined
    }

    /// Replaces what a subscription wants.
    ///
    /// # Errors
    /// The server's refusal of a resource. The subscription stays as it was, unless it is kept whatever the server answers.
    pub(super) async fn change(
        &self,
        subscribed: &Subscribed,
        mut wanted: SubscriptionFilter,
    ) -> Result<(), CallError> {
        let capabilities = &self.greeting.capabilities;
        wanted.tools_list_changed &= capabilities.list_changed("tools");
        wanted.prompts_list_changed &= capabilities.list_changed("prompts");
        wanted.resources_list_changed &= capabilities.list_changed("resources");
        (wanted.mgp, wanted.task_ids) = (None, Vec::new());
        // Each resource is listed once, because the server is asked for one resource at a time.
        let mut known = HashSet::new();
        wanted.resource_subscriptions.retain(|uri| known.insert(uri.clone()));
        let before = std::mem::replace(&mut *subscribed.filter.lock(), wanted.clone());
        let changed = self.ask(subscribed).await;
        if changed.is_err() && subscribed.limits.tries.is_some() {
            *subscribed.filter.lock() = before;
            let _ = self.ask(subscribed).await;
            return changed;
        }
        subscribed.listener.accepted(&wanted, Gap::None).await;
        changed
    }

    /// Ends what a subscription wants.
    pub(super) async fn leave(&self, subscribed: &Subscribed) {
        *subscribed.filter.lock() = SubscriptionFilter::default();
        let _ = self.ask(subscribed).await;
    }

    /// Subscribes to the resources that have come to be wanted, and unsubscribes from those that no subscription wants any more. The
    /// requests are made for one subscription. Returns the first refusal.
    async fn ask(&self, subscribed: &Subscribed) -> Result<(), CallError> {
        let (mut asked, mut outcome) = (self.resources.asked.lock().await, Ok(()));
        let wanted: BTreeSet<String> = self
            .subscribed()
            .iter()
            .flat_map(|one| one.filter.lock().resource_subscriptions.clone())
            .collect();
        for uri in wanted.difference(&asked.clone()) {
            match self.say::<SubscribeResource>(subscribed, &ResourceUri::new(uri)).await {
                Ok(()) => drop(asked.insert(uri.clone())),
                Err(error) if subscribed.limits.tries.is_some() => return Err(error),
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        for uri in asked.clone().difference(&wanted) {
            asked.remove(uri);
            report(self.say::<UnsubscribeResource>(subscribed, &ResourceUri::new(uri)).await);
        }
        outcome
    }

    /// Tells the server its log level and its subscriptions again each time the session was opened again, because the server had forgotten
    /// it. `renewals` counts how often that was, if the transport has sessions. Does not return while the connection stands.
    pub(crate) async fn keep(&self, renewals: Option<watch::Receiver<u64>>) {
        let Some(mut renewals) = renewals.filter(|_| !self.is_stateless()) else {
            return self.peer.closed().await;
        };
        loop {
            tokio::select! {
                renewed = renewals.changed() => if renewed.is_err() { return self.peer.closed().await },
                () = self.peer.closed() => return,
            }
            for one in self.subscribed() {
                one.listener.renewed();
            }
            self.tell_level_again().await;
            self.resources.asked.lock().await.clear();
            let subscribed = self.subscribed();
            if let Some(one) = subscribed.first() {
                report(self.ask(one).await);
            }
            for one in subscribed {
                let filter = one.filter.lock().clone();
                one.listener.accepted(&filter, Gap::Renewal).await;
            }
        }
    }

    fn subscribed(&self) -> Vec<Arc<Subscribed>> {
        self.resources.subscribed.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// Sends a request of a subscription, and passes the notifications that belong to the request to its listener.
    async fn say<C: Call>(&self, subscribed: &Subscribed, params: &C::Params) -> Result<(), CallError> {
        let answered = async {
            let params = RawParams::from_value(params).map_err(CallError::Params)?;
            let mut call = self.peer.start(C::METHOD, params).await?;
            loop {
                match call.next().await {
                    CallEvent::Reply(reply) => return reply.map(drop),
                    CallEvent::Notification(notification) => subscribed.listener.hear(notification).await,
                }
            }
        };
        let limit = subscribed.limits.answer;
        match tokio::time::timeout(limit, answered).await {
            Ok(answered) => answered,
            Err(_) => {
                let message = format!("the server did not answer {} within {limit:?}", C::METHOD);
                Err(CallError::Peer(ErrorCode::Timeout.error(message)))
            }
        }
    }
}

/// Logs the error of a request whose outcome nobody waits for.
fn report(outcome: Result<(), CallError>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "the server did not take what it was asked for");
    }
}

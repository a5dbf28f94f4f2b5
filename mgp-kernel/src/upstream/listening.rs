//! The subscription to a server's changes, to the resources that hosts watch, and to tasks.

use super::{Link, Server, decides_on_tasks, inbound::Inbound, observer::ServerObserver};
use crate::ground::changes::Change;
use futures_util::{FutureExt, future::BoxFuture};
use mgp_client_sdk::session::{Gap, ListenLimits, Listener};
use mgp_transport::seam::{CallError, Incoming, Notification};
use mgp_types::{
    audit::Audit,
    events::SubscribeParams,
    mcp::{MgpFilter, SubscriptionFilter},
    negotiation::{Extension, Negotiation},
    rpc::Notice,
};
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// The time limit for a server to accept a new subscription before the previous one is closed.
const ACCEPT_TIMEOUT: Duration = Duration::from_secs(2);
/// The minimum time between two subscription requests. It grows up to [`LONGEST_PAUSE`] while the requests fail.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The time to wait for further changes of the subscription, so that simultaneous changes become one request.
const GATHER: Duration = Duration::from_millis(50);

/// Keeps the subscription to a server in line with the hosts' subscriptions. Does not return while the connection is
/// open.
///
/// `renewals` counts how often the server's session was renewed, if the transport has sessions.
pub(super) async fn keep_listening(
    server: &Arc<Server>,
    link: &Arc<Link>,
    inbound: &Inbound,
    renewals: Option<watch::Receiver<u64>>,
    observer: &Arc<dyn ServerObserver>,
) {
    let listener = ServerListener { link: link.clone(), inbound: inbound.clone() };
    let limits = ListenLimits {
        accept: ACCEPT_TIMEOUT,
        answer: server.spec.call_timeout,
        delay: PAUSE,
        max_delay: LONGEST_PAUSE,
        tries: None,
    };
    let (subscription, listening) = link.session.subscription(Arc::new(listener), limits);
    let listening = async {
        if let Some(listening) = listening {
            listening.run().await;
        }
    };
    let subscribing = async {
        // Unknown after a failure, because the server may have applied a part.
        let (mut told, mut failures) = (Some(SubscriptionFilter::default()), 0u32);
        loop {
            let filter = wanted(server, link, &**observer);
            if told.as_ref() != Some(&filter) {
                if told.as_ref().and_then(events_of) != events_of(&filter) {
                    server.channels.changing();
                }
                let answered = subscription.set(filter.clone()).await;
                failures = if answered.is_ok() { 0 } else { failures.saturating_add(1) };
                if let Err(error) = &answered {
                    tracing::debug!(server = server.id(), %error, "did not accept the subscription");
                }
                let is_another_asked = events_of(&filter).is_some_and(|asked| {
                    server.channels.learn_star(asked, &answered)
                        || server.channels.learn_names(asked, &answered)
                });
                told = answered.is_ok().then_some(filter.clone());
                if is_another_asked {
                    continue;
                }
            }
            let is_asked = events_of(&filter).is_some();
            server.channels.subscribed(is_asked && observer.keeps_awake(server));
            server.channels.asked(is_asked);
            let watched = server.watched();
            let changed = watched.changed.notified();
            match limits.delay_after(failures, None).filter(|_| failures > 0) {
                None => changed.await,
                Some(delay) => drop(tokio::time::timeout(delay, changed).await),
            }
            tokio::time::sleep(GATHER).await;
        }
    };
    tokio::join!(listening, subscribing, link.session.keep(renewals));
}

/// Returns the notifications to subscribe to.
fn wanted(server: &Arc<Server>, link: &Link, observer: &dyn ServerObserver) -> SubscriptionFilter {
    let capabilities = &link.capabilities;
    let mgp = |negotiated: &Negotiation| MgpFilter {
        events: observer
            .wanted_events(server, server.channels.star())
            .filter(|_| negotiated.has(Extension::Events))
            .and_then(|wanted| server.channels.without_refused(wanted)),
        ..mgp_filter(negotiated)
    };
    SubscriptionFilter {
        tools_list_changed: capabilities.list_changed("tools"),
        prompts_list_changed: capabilities.list_changed("prompts"),
        resources_list_changed: capabilities.list_changed("resources"),
        resource_subscriptions: if capabilities.resource_subscriptions() {
            server.watched().all()
        } else {
            Vec::new()
        },
        task_ids: if decides_on_tasks(link) { observer.wanted_tasks(server) } else { Vec::new() },
        mgp: link.negotiated.as_ref().map(mgp).filter(|filter| *filter != MgpFilter::default()),
    }
}

/// Returns the MGP notifications that the kernel subscribes to, by the negotiated extensions.
fn mgp_filter(negotiated: &Negotiation) -> MgpFilter {
    MgpFilter {
        audit: negotiated.has(Extension::Audit),
        lifecycle: negotiated.has(Extension::Lifecycle),
        events: None,
    }
}

/// Returns the subscription to events in a filter.
fn events_of(filter: &SubscriptionFilter) -> Option<&SubscribeParams> {
    filter.mgp.as_ref()?.events.as_ref()
}

/// The handler of the notifications of the subscription to a server.
struct ServerListener {
    link: Arc<Link>,
    inbound: Inbound,
}

impl Listener for ServerListener {
    fn hear(&self, notification: Notification) -> BoxFuture<'_, ()> {
        async move {
            if *notification.method == *Audit::METHOD {
                return self.inbound.audit(self.link.negotiated.as_ref(), &notification.params).await;
            }
            let Notification { method, params } = notification;
            self.inbound.heard(&Incoming::notification(method, params)).await;
        }
        .boxed()
    }

    /// Treats everything in a filter as changed after a gap, because changes during the gap are unknown.
    fn accepted<'a>(&'a self, filter: &'a SubscriptionFilter, gap: Gap) -> BoxFuture<'a, ()> {
        async move {
            let channels = &self.inbound.server.channels;
            if let Some(events) = events_of(filter) {
                channels.know(&events.channels);
            } else if gap == Gap::Renewal {
                // The server is asked again later, and hosts do not wait for that.
                channels.asked(true);
            }
            if gap == Gap::None {
                return;
            }
            for (listens, change) in [
                (filter.tools_list_changed, Change::Tools),
                (filter.resources_list_changed, Change::Resources),
                (filter.prompts_list_changed, Change::Prompts),
            ] {
                if listens && gap != Gap::Renewal {
                    self.inbound.server.offers.changes.note(change);
                }
            }
            for uri in &filter.resource_subscriptions {
                self.inbound.updated(uri).await;
            }
        }
        .boxed()
    }

    fn events_come_as(&self, subscription_id: &str) {
        self.inbound.server.channels.come_as(subscription_id);
    }

    /// Treats all lists as changed, and announces the grants again, which were lost with the session.
    fn renewed(&self) {
        for change in [Change::Tools, Change::Resources, Change::Prompts] {
            self.inbound.server.offers.changes.note(change);
        }
        self.inbound.server.channels.changing();
        self.link.forget_told();
        self.inbound.announce_permissions(&self.link);
    }

    fn ended(&self, error: CallError) {
        tracing::debug!(server = self.inbound.server.id(), %error, "the subscription has ended");
    }
}

//! The open `subscriptions/listen` at a server of the stateless era. No change between two of these requests is missed.

use super::{Link, Server, inbound::Inbound};
use crate::kernel::changes::Change;
use mgp_transport::seam::{CallError, CallEvent};
use mgp_types::{
    audit::Audit,
    json::RawObject,
    mcp::stateless::{Listen, ListenParams, MgpFilter, SubscriptionFilter, SubscriptionsAcknowledged},
    negotiation::{Extension, Negotiated},
    rpc::{Call, Notice, RawParams},
};
use std::{pin::Pin, sync::Arc, time::Duration};
use tokio::sync::oneshot;

/// The least time between two requests to listen. It grows up to [`LONGEST_PAUSE`] while the requests fail.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// The time to wait for more wishes after a first one, so that wishes at the same time become one request.
const GATHER: Duration = Duration::from_millis(50);
/// The time for a server to acknowledge another request before the previous one is closed.
const TAKEN_IN: Duration = Duration::from_secs(2);

/// Listens for the changes that the server can announce, for the resources that hosts watch, and for tasks.
pub(super) async fn listen(server: &Arc<Server>, link: &Arc<Link>, inbound: &Inbound) {
    let mut pause = PAUSE;
    loop {
        let filter = wanted(server, link);
        if filter == SubscriptionFilter::default() {
            server.watched.changed.notified().await;
            continue;
        }
        let (ended, was_acknowledged) = listen_on(server, link, inbound, filter).await;
        if let Err(error) = ended {
            tracing::debug!(server = server.id(), %error, "listens no more");
        }
        pause = if was_acknowledged { PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
        tokio::time::sleep(pause).await;
    }
}

/// Listens until the server ends the request, and replaces the request when something else is wanted. Also returns whether the
/// server acknowledged the last request.
async fn listen_on(
    server: &Arc<Server>,
    link: &Arc<Link>,
    inbound: &Inbound,
    mut filter: SubscriptionFilter,
) -> (Result<(), CallError>, bool) {
    // Nobody knows what changed since the server was last heard.
    let mut hearing = Hearing::start(server, link, inbound, filter.clone(), true);
    loop {
        let other = async {
            other_is_wanted(server, link, &filter).await;
            tokio::time::sleep(GATHER).await;
        };
        tokio::select! {
            ended = hearing.ended() => return (ended, hearing.acknowledged),
            () = other => {}
        }
        let new = wanted(server, link);
        if new == filter || new == SubscriptionFilter::default() {
            if new != filter {
                return (Ok(()), true);
            }
            continue;
        }
        // The one before is heard until the server has taken the new one, so that nothing is missed in between.
        let mut next = Hearing::start(server, link, inbound, new.clone(), false);
        let taken = async {
            tokio::select! {
                () = next.taken() => {}
                _ = hearing.ended() => {}
            }
        };
        if tokio::time::timeout(TAKEN_IN, taken).await.is_err() {
            tracing::debug!(server = server.id(), "does not acknowledge what it is to tell");
        }
        (hearing, filter) = (next, new);
    }
}

/// One request to listen, which ends when it is dropped.
struct Hearing<'a> {
    ended: Pin<Box<dyn Future<Output = Result<(), CallError>> + Send + 'a>>,
    /// The end of the request, if it came while its acknowledgement was waited for.
    end: Option<Result<(), CallError>>,
    told: oneshot::Receiver<()>,
    acknowledged: bool,
}

impl<'a> Hearing<'a> {
    /// Starts a request. `gap` is true if changes may be missed until the server acknowledges the request.
    fn start(
        server: &'a Arc<Server>,
        link: &'a Link,
        inbound: &'a Inbound,
        filter: SubscriptionFilter,
        gap: bool,
    ) -> Self {
        let (tell, told) = oneshot::channel();
        let ended = Box::pin(hear(server, link, inbound, filter, gap, tell));
        Self { ended, end: None, told, acknowledged: false }
    }

    /// Waits until the request has ended.
    async fn ended(&mut self) -> Result<(), CallError> {
        if let Some(end) = self.end.take() {
            return end;
        }
        let end = (&mut self.ended).await;
        self.acknowledged |= self.told.try_recv().is_ok();
        end
    }

    /// Waits until the server has acknowledged the request, or the request has ended.
    async fn taken(&mut self) {
        tokio::select! {
            biased;
            told = &mut self.told, if !self.acknowledged => self.acknowledged = told.is_ok(),
            end = &mut self.ended, if self.end.is_none() => self.end = Some(end),
        }
    }
}

/// Waits until something else is wanted than this filter.
async fn other_is_wanted(server: &Arc<Server>, link: &Link, filter: &SubscriptionFilter) {
    loop {
        server.watched.changed.notified().await;
        if wanted(server, link) != *filter {
            return;
        }
    }
}

/// Returns the notifications that the server is asked to send.
fn wanted(server: &Arc<Server>, link: &Link) -> SubscriptionFilter {
    let capabilities = &link.capabilities;
    SubscriptionFilter {
        tools_list_changed: capabilities.list_changed("tools"),
        prompts_list_changed: capabilities.list_changed("prompts"),
        resources_list_changed: capabilities.list_changed("resources"),
        resource_subscriptions: if capabilities.resource_subscriptions() {
            server.watched.all()
        } else {
            Vec::new()
        },
        task_ids: if link.has_tasks_extension() { server.tasks.wanted_of(server) } else { Vec::new() },
        mgp: link.negotiated.as_ref().map(mgp_filter).filter(|filter| *filter != MgpFilter::default()),
    }
}

/// Returns the MGP notifications that the kernel wants from a server, by the extensions that were negotiated.
fn mgp_filter(negotiated: &Negotiated) -> MgpFilter {
    MgpFilter { audit: negotiated.has(Extension::Audit), lifecycle: negotiated.has(Extension::Lifecycle) }
}

async fn hear(
    server: &Server,
    link: &Link,
    inbound: &Inbound,
    filter: SubscriptionFilter,
    gap: bool,
    acknowledged: oneshot::Sender<()>,
) -> Result<(), CallError> {
    let mut acknowledged = Some(acknowledged);
    let mut params = ListenParams::new(filter.clone());
    if !params.notifications.task_ids.is_empty() {
        params.meta = link.task_meta();
    }
    let params = RawParams::from_value(&params).map_err(CallError::Params)?;
    let mut call = link.peer.start(Listen::METHOD, params).await?;
    loop {
        match call.next().await {
            CallEvent::Reply(reply) => return reply.map(drop),
            CallEvent::Notification(notification)
                if *notification.method == *SubscriptionsAcknowledged::METHOD =>
            {
                if let Some(acknowledged) = acknowledged.take() {
                    // The receiver may have given up.
                    let _ = acknowledged.send(());
                    if gap {
                        all_may_have_changed(server, inbound, &filter).await;
                    }
                }
            }
            CallEvent::Notification(notification) if *notification.method == *Audit::METHOD => {
                inbound.audit(link.negotiated.as_ref(), &notification.params).await;
            }
            CallEvent::Notification(notification) => {
                let params = notification.params.object().cloned().unwrap_or_else(|_| RawObject::new());
                inbound.heard(&notification.method, &params).await;
            }
        }
    }
}

/// Treats everything in a filter as changed, because nobody knows what has changed meanwhile.
async fn all_may_have_changed(server: &Server, inbound: &Inbound, filter: &SubscriptionFilter) {
    for (listens, change) in [
        (filter.tools_list_changed, Change::Tools),
        (filter.resources_list_changed, Change::Resources),
        (filter.prompts_list_changed, Change::Prompts),
    ] {
        if listens {
            server.changes.note(change);
        }
    }
    for uri in &filter.resource_subscriptions {
        inbound.updated(uri).await;
    }
}

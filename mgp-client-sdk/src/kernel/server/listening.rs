//! The open `subscriptions/listen` at a server of the stateless era. Nothing that changes between two of them is missed.

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

/// The least time between two requests to listen, and what it grows to while they fail.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How long to wait for more to be wanted after the first: what is wanted together is one request.
const GATHER: Duration = Duration::from_millis(50);
/// How long a server may take to acknowledge another request before the one before it is closed.
const TAKEN_IN: Duration = Duration::from_secs(2);

/// Listens for what the server says it tells, for the resources that are wanted, and for tasks.
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

/// Listens until the server ends it, with another request where something else is wanted. Says too whether it took the last one.
async fn listen_on(
    server: &Arc<Server>,
    link: &Arc<Link>,
    inbound: &Inbound,
    mut filter: SubscriptionFilter,
) -> (Result<(), CallError>, bool) {
    // What changed since it was last heard, nobody knows.
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
    /// How it has ended, where that was seen while its acknowledgement was waited for.
    end: Option<Result<(), CallError>>,
    told: oneshot::Receiver<()>,
    acknowledged: bool,
}

impl<'a> Hearing<'a> {
    /// `gap`: whether things may have changed unheard until the server acknowledges it.
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

    /// Hears until the end.
    async fn ended(&mut self) -> Result<(), CallError> {
        if let Some(end) = self.end.take() {
            return end;
        }
        let end = (&mut self.ended).await;
        self.acknowledged |= self.told.try_recv().is_ok();
        end
    }

    /// Hears until the server has taken it, or the end.
    async fn taken(&mut self) {
        tokio::select! {
            biased;
            told = &mut self.told, if !self.acknowledged => self.acknowledged = told.is_ok(),
            end = &mut self.ended, if self.end.is_none() => self.end = Some(end),
        }
    }
}

/// Ends when something else is wanted than this.
async fn other_is_wanted(server: &Arc<Server>, link: &Link, filter: &SubscriptionFilter) {
    loop {
        server.watched.changed.notified().await;
        if wanted(server, link) != *filter {
            return;
        }
    }
}

/// What the server is asked to tell.
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

/// What of MGP's own the kernel hears of a server with which this holds.
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
                    // Who waited for it may have given up.
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

/// Looks again at everything that is listened for, because nobody knows what has changed meanwhile.
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

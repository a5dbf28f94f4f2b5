//! Notifies clients of changes.

use super::{Audience, OpenUrls};
use futures_util::future::join_all;
use mgp_transport::seam::{CallError, Peer, Session};
use mgp_types::{
    audit::{Audit, AuditEvent},
    json::RawJson,
    lifecycle::{LifecycleChange, LifecycleParams},
    mcp::{
        ElicitationComplete, ElicitationCompleteParams, PromptListChanged, ResourceListChanged,
        ResourceUpdated, ResourceUri, ToolListChanged,
        tasks::{Task, extension::TaskChanged},
    },
    negotiation::{Extension, Negotiation},
    rpc::{Empty, Notice},
};
use std::{slice, sync::Arc, time::Duration};
use tokio::sync::watch;

/// The time limit for sending a notification to one client, so that a slow client does not delay the others.
const TIMEOUT: Duration = Duration::from_secs(1);

/// A handle that notifies the server's clients of changes. Clones notify the same clients.
///
/// Handlers take a `Notifier` as an argument; other code gets one from [`ServerStack::notifier`](crate::ServerStack::notifier).
#[derive(Debug, Clone)]
pub struct Notifier {
    pub(super) audience: Audience,
    stopped: Arc<watch::Sender<bool>>,
}

impl Default for Notifier {
    fn default() -> Self {
        Self { audience: Audience::default(), stopped: Arc::new(watch::Sender::new(false)) }
    }
}

impl Notifier {
    /// Adds a client that has finished its handshake. Only code that answers clients itself needs to call this.
    pub fn join(&self, peer: &Peer) {
        self.audience.join(peer);
    }

    /// Ends all subscriptions of stateless clients: no more notifications are sent on them.
    pub(crate) fn stop(&self) {
        self.stopped.send_replace(true);
    }

    /// Allows clients to listen again.
    pub(crate) fn resume(&self) {
        self.stopped.send_replace(false);
    }

    /// Waits until the subscriptions have ended.
    pub(super) async fn stopped(&self) {
        // `self` owns the sender.
        let _ = self.stopped.subscribe().wait_for(|stopped| *stopped).await;
    }

    /// Notifies all clients that the list of tools has changed.
    pub async fn tools_changed(&self) {
        self.tools_changed_to(|_| true).await;
    }

    /// Notifies only the clients that `is_meant` selects that the list of tools has changed.
    pub async fn tools_changed_to(&self, is_meant: impl Fn(&Peer) -> bool + Send) {
        self.tell::<ToolListChanged>(None, &Empty::default(), is_meant).await;
    }

    /// Notifies all clients that the list of resources has changed.
    pub async fn resources_changed(&self) {
        self.tell::<ResourceListChanged>(None, &Empty::default(), |_| true).await;
    }

    /// Notifies all clients that the list of prompts has changed.
    pub async fn prompts_changed(&self) {
        self.tell::<PromptListChanged>(None, &Empty::default(), |_| true).await;
    }

    /// Notifies the clients that subscribed to a resource that it has changed.
    pub async fn resource_updated(&self, uri: &str) {
        self.resource_updated_to(uri, |_| true).await;
    }

    /// Notifies only the subscribers that `may_know` selects that a resource has changed.
    pub async fn resource_updated_to(&self, uri: &str, may_know: impl Fn(&Peer) -> bool + Send) {
        self.tell::<ResourceUpdated>(Some(uri), &ResourceUri::new(uri), may_know).await;
    }

    /// Notifies the client that was [asked](crate::ask::Ask::elicit) to open a URL that its user has finished there. No other
    /// client is notified. Returns whether a client was notified.
    ///
    /// No client is notified if the user did not agree to open the URL, if the client is gone, or if it was notified before. The
    /// same applies to every revision except 2025-11-25, because the others do not have this notification. The last 64 URLs of
    /// each client are kept. Each question needs its own `elicitationId`: all clients that were asked under the same one are
    /// notified.
    ///
    /// ```
    /// use mgp_server_sdk::{Notifier, ToolError, ask::Ask};
    /// use mgp_types::mcp::ElicitParams;
    ///
    /// async fn sign_in(ask: Ask) -> Result<&'static str, ToolError> {
    ///     // Unguessable, in a program that does this for real.
    ///     let (id, url) = ("sign-in-7", "https://example.com/sign-in?state=sign-in-7");
    ///     ask.elicit("sign in", ElicitParams::url("Please sign in", url, id)).await?;
    ///     Ok("waiting for you to sign in")
    /// }
    ///
    /// // Where the page of the URL reports back.
    /// async fn signed_in(notifier: Notifier, state: &str) {
    ///     notifier.elicitation_complete(state).await;
    /// }
    /// ```
    pub async fn elicitation_complete(&self, elicitation_id: &str) -> bool {
        let params = ElicitationCompleteParams { elicitation_id: elicitation_id.to_owned() };
        let was_asked = |client: &Peer| OpenUrls::done(client.session(), elicitation_id);
        // Only sessions are notified, because no client can listen for this notification.
        self.tell::<ElicitationComplete>(None, &params, was_asked).await
    }

    /// Notifies the clients that listen for a task that it has changed.
    pub(crate) async fn task_changed(&self, task: &Task) {
        self.tell::<TaskChanged>(Some(&task.task_id), task, |_| true).await;
    }

    /// Notifies only the listeners that `may_know` selects that a task has changed, and sends `task` unchanged. Only code that
    /// answers clients itself needs to call this.
    pub async fn task_changed_to(&self, id: &str, task: &RawJson, may_know: impl Fn(&Peer) -> bool + Send) {
        self.tell_raw(TaskChanged::METHOD, Some(id), slice::from_ref(task), may_know).await;
    }

    /// §11.4 Notifies the clients that negotiated `lifecycle` that the server's state has changed. A client of the stateless era
    /// must also listen for these changes.
    pub(crate) async fn state_changed(&self, change: &LifecycleParams) {
        self.state_changed_to(change, |_| true).await;
    }

    /// §11.4 Notifies the clients that negotiated `lifecycle`, and that `may_know` selects, that a server's state has changed.
    /// Only code that answers clients itself needs to call this.
    pub async fn state_changed_to(&self, change: &LifecycleParams, may_know: impl Fn(&Peer) -> bool + Send) {
        let may_know = move |client: &Peer| has(client.session(), Extension::Lifecycle) && may_know(client);
        self.tell::<LifecycleChange>(None, change, may_know).await;
    }

    /// §6.3 Returns whether a client that negotiated `audit`, and that `may_know` selects, listens for audit events.
    pub fn has_audit_listeners(&self, may_know: impl Fn(&Peer) -> bool) -> bool {
        self.audience.connected().iter().any(|client| {
            client.wants(Audit::METHOD, None)
                && has(client.peer.session(), Extension::Audit)
                && may_know(&client.peer)
        })
    }

    /// §6.3 Sends events, in order, to the clients that negotiated `audit`, and that `may_know` selects. A client that does not
    /// read all of them in time misses the last ones. Only code that answers clients itself needs to call this.
    pub async fn audited_to(&self, events: &[AuditEvent], may_know: impl Fn(&Peer) -> bool + Send) {
        let may_know = move |client: &Peer| has(client.session(), Extension::Audit) && may_know(client);
        match events.iter().map(RawJson::from_value).collect::<Result<Vec<_>, _>>() {
            Ok(params) => drop(self.tell_raw(Audit::METHOD, None, &params, may_know).await),
            Err(error) => tracing::warn!(%error, "clients were not notified of events"),
        }
    }

    /// Notifies the clients that want a notification and that `may_know` selects. `subject` is the resource or task of the
    /// notification, if any. Returns whether there are any clients.
    async fn tell<N: Notice>(
        &self,
        subject: Option<&str>,
        params: &N::Params,
        may_know: impl Fn(&Peer) -> bool + Send,
    ) -> bool {
        match RawJson::from_value(params) {
            Ok(params) => self.tell_raw(N::METHOD, subject, &[params], may_know).await,
            Err(error) => {
                tracing::warn!(method = N::METHOD, %error, "clients were not notified");
                false
            }
        }
    }

    async fn tell_raw(
        &self,
        method: &'static str,
        subject: Option<&str>,
        params: &[RawJson],
        may_know: impl Fn(&Peer) -> bool + Send,
    ) -> bool {
        let mut clients = self.audience.connected();
        clients.retain(|client| client.wants(method, subject) && may_know(&client.peer));
        let told = clients.iter().map(|client| async {
            let told = async {
                let _acknowledged = client.gate.lock().await;
                for params in params {
                    client.peer.notify(method, client.params(params)).await?;
                }
                Ok::<_, CallError>(())
            };
            match tokio::time::timeout(TIMEOUT, told).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::debug!(method, %error, "a client was not notified"),
                Err(_) => tracing::debug!(method, "a client reads slowly, and was not notified"),
            }
        });
        join_all(told).await;
        !clients.is_empty()
    }
}

/// Returns `true` if an extension was negotiated with a client.
pub(crate) fn has(session: &Session, extension: Extension) -> bool {
    session.get::<Negotiation>().is_some_and(|negotiated| negotiated.has(extension))
}

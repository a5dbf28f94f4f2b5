//! Tells clients that something has changed.

use super::{Audience, audience::Listener};
use crate::ask::OpenUrls;
use futures_util::future::join_all;
use mgp_transport::seam::{Peer, Session};
use mgp_types::{
    json::RawJson,
    lifecycle::{LifecycleChange, LifecycleParams},
    mcp::{
        ElicitationComplete, ElicitationCompleteParams, PromptListChanged, ResourceListChanged,
        ResourceUpdated, ResourceUri, ToolListChanged,
        tasks::extension::{Task, TaskChanged},
    },
    negotiation::{Extension, Negotiated},
    rpc::{Empty, Notice},
};
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

/// How long one client may hold up the others.
const TIME_LIMIT: Duration = Duration::from_secs(1);

/// Tells the server's clients that something has changed. A clone tells the same clients.
///
/// Handlers take it as an argument; [`ServerStack::notifier`](crate::ServerStack::notifier) is for everything else.
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
    /// Adds a client that has finished its handshake; for who answers clients itself.
    pub fn join(&self, peer: &Peer) {
        self.audience.join(peer);
    }

    /// Ends every subscription of a stateless client: nothing more is told.
    pub(crate) fn stop(&self) {
        self.stopped.send_replace(true);
    }

    /// Lets clients listen again.
    pub(crate) fn resume(&self) {
        self.stopped.send_replace(false);
    }

    /// Ends when nothing more is told.
    pub(super) async fn stopped(&self) {
        // The sender is our own.
        let _ = self.stopped.subscribe().wait_for(|stopped| *stopped).await;
    }

    /// The list of tools is another one now.
    pub async fn tools_changed(&self) {
        self.tell::<ToolListChanged>(&Empty::default(), None).await;
    }

    /// The same, for these clients alone.
    pub async fn tools_changed_to(&self, is_meant: impl Fn(&Peer) -> bool + Send) {
        let mut clients = self.audience.connected();
        clients.retain(|client| client.wants(ToolListChanged::METHOD, None) && is_meant(&client.peer));
        tell_each::<ToolListChanged>(clients, &Empty::default()).await;
    }

    /// The list of resources is another one now.
    pub async fn resources_changed(&self) {
        self.tell::<ResourceListChanged>(&Empty::default(), None).await;
    }

    /// The list of prompts is another one now.
    pub async fn prompts_changed(&self) {
        self.tell::<PromptListChanged>(&Empty::default(), None).await;
    }

    /// A resource is another one now: those who subscribed to it are told.
    pub async fn resource_updated(&self, uri: &str) {
        self.resource_updated_to(uri, |_| true).await;
    }

    /// The same, and of those who subscribed only these are told.
    pub async fn resource_updated_to(&self, uri: &str, may_know: impl Fn(&Peer) -> bool + Send) {
        let mut clients = self.audience.connected();
        clients.retain(|client| client.wants(ResourceUpdated::METHOD, Some(uri)) && may_know(&client.peer));
        tell_each::<ResourceUpdated>(clients, &ResourceUri::new(uri)).await;
    }

    /// What a user was sent to a URL for is done: the client that was [asked](crate::ask::Ask::elicit) to open it is told, and no
    /// other. Returns whether there was such a client.
    ///
    /// There is none where the user did not agree to open the URL, where the client is gone, where this was said before, or in the
    /// revisions that have nothing to say it with: all but 2025-11-25. Of one client, the last 64 are remembered. An
    /// `elicitationId` must be one that no other question has: all that were asked under it are told.
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
        let mut clients = self.audience.connected();
        clients.retain(|client| client.is_session() && OpenUrls::done(client.peer.session(), elicitation_id));
        let found = !clients.is_empty();
        let params = ElicitationCompleteParams { elicitation_id: elicitation_id.to_owned() };
        tell_each::<ElicitationComplete>(clients, &params).await;
        found
    }

    /// A task has come further: those who listen for it are told.
    pub(crate) async fn task_changed(&self, task: &Task) {
        self.tell::<TaskChanged>(task, Some(&task.task_id)).await;
    }

    /// A task has come further: of those who listen for it these are told. `task` is said as it is; for who answers clients itself.
    pub async fn task_changed_to(&self, id: &str, task: &RawJson, may_know: impl Fn(&Peer) -> bool + Send) {
        let mut clients = self.audience.connected();
        clients.retain(|client| client.wants(TaskChanged::METHOD, Some(id)) && may_know(&client.peer));
        tell_raw(TaskChanged::METHOD, clients, task).await;
    }

    /// §11.4 The server's state is another one now: those who negotiated `lifecycle` are told, in the stateless era where they
    /// listen for it.
    pub(crate) async fn state_changed(&self, change: &LifecycleParams) {
        self.state_changed_to(change, |_| true).await;
    }

    /// §11.4 A server's state is another one now: of those who negotiated `lifecycle` these are told; for who answers clients itself.
    pub async fn state_changed_to(&self, change: &LifecycleParams, may_know: impl Fn(&Peer) -> bool + Send) {
        let mut clients = self.audience.connected();
        clients.retain(|client| {
            has_lifecycle(client.peer.session())
                && client.wants(LifecycleChange::METHOD, None)
                && may_know(&client.peer)
        });
        tell_each::<LifecycleChange>(clients, change).await;
    }

    /// Tells those who want to hear it, about a resource or a task where it is about one.
    async fn tell<N: Notice>(&self, params: &N::Params, subject: Option<&str>) {
        let mut clients = self.audience.connected();
        clients.retain(|client| client.wants(N::METHOD, subject));
        tell_each::<N>(clients, params).await;
    }
}

/// Whether §11 holds with a client.
pub(crate) fn has_lifecycle(session: &Session) -> bool {
    session.get::<Negotiated>().is_some_and(|negotiated| negotiated.has(Extension::Lifecycle))
}

async fn tell_each<N: Notice>(clients: Vec<Listener>, params: &N::Params) {
    match RawJson::from_value(params) {
        Ok(params) => tell_raw(N::METHOD, clients, &params).await,
        Err(error) => tracing::warn!(method = N::METHOD, %error, "clients were not told"),
    }
}

async fn tell_raw(method: &'static str, clients: Vec<Listener>, params: &RawJson) {
    let told = clients.iter().map(|client| async {
        let told = async {
            let _acknowledged = client.gate.lock().await;
            client.peer.notify(method, client.params(params)).await
        };
        match tokio::time::timeout(TIME_LIMIT, told).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(method, %error, "a client was not told"),
            Err(_) => tracing::debug!(method, "a client reads slowly, and was not told"),
        }
    });
    join_all(told).await;
}

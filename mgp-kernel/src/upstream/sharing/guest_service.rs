//! Answers a guest's requests, or forwards them to the server.

use super::forward::forward;
use crate::upstream::{
    Link, Server, WatchGuard,
    shared::{EntryRefusal, GuestResources},
};
use futures_core::future::BoxFuture;
use mgp_client_sdk::session::Greeting;
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::{
    error::ErrorCode,
    lifecycle::{CheckHealth, HealthPing},
    mcp::{
        Discover, Initialize, InitializeResult, Listen, Ping, ResourceUri, RootsListChanged, SetLevel,
        SubscribeResource, UnsubscribeResource,
    },
    rpc::{Call, Empty, ErrorObject, Notice},
};
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// The maximum number of resources that one guest may watch.
const MOST_WATCHED: usize = 1024;

/// The service of one guest.
#[derive(Clone)]
pub(super) struct GuestService {
    server: Arc<Server>,
    link: Arc<Link>,
    pub(super) resources: GuestResources,
}

impl GuestService {
    pub(super) fn new(server: &Arc<Server>, link: &Arc<Link>) -> Self {
        Self { server: server.clone(), link: link.clone(), resources: GuestResources::default() }
    }

    async fn answer(self, message: Incoming) -> Result<Reply, ErrorObject> {
        match &*message.method {
            Initialize::METHOD => self.enter(&message),
            // A kernel outside of the list is not notified of the end of the process, and cannot be dismissed.
            _ if !message.peer().is_some_and(|peer| self.server.shared.guests.has(peer)) => {
                Err(ErrorObject::invalid_request("this kernel was not admitted"))
            }
            SubscribeResource::METHOD => self.watch(&message),
            UnsubscribeResource::METHOD => {
                self.resources.lock().remove(&message.params.decode::<ResourceUri>()?.uri);
                Ok(Reply::from_value(&Empty::default()))
            }
            // The owner checks whether the process answers. To a guest, a process that works for another kernel would
            // seem to hang.
            Ping::METHOD => Ok(Reply::from_value(&Empty::default())),
            // Log messages name no call, and are not forwarded while several kernels use the process.
            SetLevel::METHOD => Ok(Reply::from_value(&Empty::default())),
            method if is_of_owner(method) => Err(ErrorObject::method_not_found(method)),
            _ => Ok(forward(&self.server, &self.link, message).await),
        }
    }

    /// Admits the guest. If the owner is ending the process, the guest loses its connection instead of getting an answer, and looks for the
    /// next process.
    fn enter(&self, message: &Incoming) -> Result<Reply, ErrorObject> {
        let Some(peer) = message.peer() else { return Err(ErrorObject::internal("internal error: no peer")) };
        if let Err(refusal) = self.server.shared.guests.enter(peer, &self.resources) {
            if refusal == EntryRefusal::Closed {
                peer.close();
            }
            return Err(ErrorCode::ResourceExhausted.error(refusal.to_string()));
        }
        Ok(Reply::from_value(&greet(&self.link)))
    }

    /// Watches a resource for the guest.
    fn watch(&self, message: &Incoming) -> Result<Reply, ErrorObject> {
        let uri = message.params.decode::<ResourceUri>()?.uri;
        let mut resources = self.resources.lock();
        if !resources.contains_key(&uri) {
            if resources.len() >= MOST_WATCHED {
                let problem =
                    format!("a kernel may watch at most {MOST_WATCHED} resources of a shared server");
                return Err(ErrorObject::invalid_request(problem));
            }
            resources.insert(uri.clone(), WatchGuard::new(self.server.watched(), vec![uri])?);
        }
        Ok(Reply::from_value(&Empty::default()))
    }
}

impl Service<Incoming> for GuestService {
    type Response = Reply;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            if message.is_notification() {
                if message.method == *RootsListChanged::METHOD
                    && let Err(error) = this.link.roots_changed().await
                {
                    tracing::debug!(server = this.server.id(), %error, "was not notified that a guest's roots have changed");
                }
                return Ok(Reply::none());
            }
            // The guest adapts errors to its hosts.
            Ok(this.answer(message).await.unwrap_or_else(Reply::exact_error))
        })
    }
}

/// Returns whether only the owner may send a request. These are all of MGP's methods except health checks. They concern the lifecycle and the
/// rights of the process, or refer to other messages by ids, which differ between kernels.
fn is_of_owner(method: &str) -> bool {
    let checks_health = [HealthPing::METHOD, CheckHealth::METHOD].contains(&method);
    method.starts_with("mgp/") && !checks_health || [Discover::METHOD, Listen::METHOD].contains(&method)
}

/// Returns the server's answer in its own handshake.
fn greet(greeting: &Greeting) -> InitializeResult {
    let mut result =
        InitializeResult::new(greeting.version, greeting.capabilities.clone(), greeting.server_info.clone());
    result.instructions.clone_from(&greeting.instructions);
    result
}

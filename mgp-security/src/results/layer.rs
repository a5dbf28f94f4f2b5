//! The layer that searches one server's results.

use super::{CallSearch, SecretPolicy, SecretSearch};
use crate::audit::AuditSink;
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::rpc::RawParams;
use std::sync::Arc;
use tower_layer::Layer;

/// The layer that searches one server's results for secrets. It goes around the connection to the server, outside its limits and
/// outside the cancellation of calls, so that partial results are searched too.
#[derive(Debug, Clone)]
pub struct SecretSearchLayer {
    server_id: Arc<str>,
    policy: SecretPolicy,
    sink: Arc<dyn AuditSink>,
}

impl SecretSearchLayer {
    /// Creates the layer for one server. Events go to `sink`.
    #[must_use]
    pub fn new(server_id: &str, policy: SecretPolicy, sink: Arc<dyn AuditSink>) -> Self {
        Self { server_id: server_id.into(), policy, sink }
    }

    /// Returns the search for a request; `None` if the policy searches nothing.
    pub(super) fn search(&self, message: &Incoming) -> Option<CallSearch> {
        CallSearch::new((&self.server_id, self.policy, &self.sink), message)
    }

    /// Searches a reply that does not pass through the layer, and returns it as it may leave. `message` is the request that it answers.
    pub async fn reply(&self, message: &Incoming, reply: Reply) -> Reply {
        match self.search(message) {
            Some(search) => search.reply(reply).await,
            None => reply,
        }
    }

    /// Searches a notification that belongs to no request, and returns its params as they may leave; `None` if they may not. An event
    /// that records the secrets is stored before. The context of the notification names its recipient.
    pub async fn notification(&self, mut notification: Incoming) -> Option<RawParams> {
        let params = std::mem::take(&mut notification.params);
        let Some(search) = self.search(&notification) else { return Some(params) };
        let params = search.params(params).await;
        let is_recorded = search.reply(Reply::none()).await.as_error().is_none();
        params.filter(|_| is_recorded)
    }
}

impl<S> Layer<S> for SecretSearchLayer {
    type Service = SecretSearch<S>;

    fn layer(&self, inner: S) -> SecretSearch<S> {
        SecretSearch { inner, layer: self.clone() }
    }
}

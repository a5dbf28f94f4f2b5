//! The messages that pass through the exchange of a server.

use super::{Exchange, asked, call, callbacks, questions};
use crate::{
    ground::caller::{Caller, NoCaller},
    host::HostDialect,
    upstream::{HostQuestion, LOG_TIMEOUT, Server, ServerExchange},
};
use futures_core::future::BoxFuture;
use mgp_transport::seam::{BoxError, Incoming, Peer, Reply};
use mgp_types::{
    json::RawObject,
    mcp::ElicitationComplete,
    rpc::{ErrorObject, Notice, RawResult},
};
use std::sync::Arc;

impl Exchange {
    /// Creates the exchange of a new server.
    pub(crate) fn for_server() -> Arc<dyn ServerExchange> {
        Arc::new(Self::default())
    }
}

impl ServerExchange for Exchange {
    fn send(
        self: Arc<Self>,
        server: Arc<Server>,
        message: Incoming,
    ) -> BoxFuture<'static, Result<Reply, BoxError>> {
        Box::pin(call::send(self, server, message))
    }

    fn ask<'a>(
        &'a self,
        server: &'a Server,
        caller: &'a Caller,
        question: HostQuestion<'a>,
    ) -> BoxFuture<'a, Result<RawResult, ErrorObject>> {
        Box::pin(questions::ask(&self.elicited, server, caller, question))
    }

    fn answer<'a>(
        &'a self,
        server: &'a Arc<Server>,
        message: Incoming,
        outside: &'a (dyn Fn() -> Option<Caller> + Send + Sync),
    ) -> BoxFuture<'a, Result<RawResult, ErrorObject>> {
        Box::pin(asked::answer(self, server, message, outside))
    }

    fn callback<'a>(&'a self, server: &'a Arc<Server>, message: &'a Incoming) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let Some(peer) = message.peer() {
                callbacks::take(self, server, peer, &message.params, message.related_request()).await;
            }
        })
    }

    fn elicitation_complete<'a>(&'a self, server: &'a Server, params: &'a RawObject) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let host = params.text("elicitationId").and_then(|id| self.elicited.take(&id));
            let Some(host) = host else {
                return tracing::debug!(server = server.id(), "an unknown elicitation is done");
            };
            let params = HostDialect::of(Some(host.session())).params(params.clone().into());
            let told = host.notify(ElicitationComplete::METHOD, params);
            if !matches!(tokio::time::timeout(LOG_TIMEOUT, told).await, Ok(Ok(()))) {
                tracing::debug!("a host was not notified that an elicitation is done");
            }
        })
    }

    #[cfg(all(unix, feature = "child"))]
    fn enter(&self, call: i64, caller: Caller) -> Box<dyn Send> {
        Box::new(self.callers.enter(call, Arc::new(caller)))
    }

    fn caller(&self, message: &Incoming) -> Result<Caller, NoCaller> {
        self.callers.of(message)
    }

    fn hosts(&self) -> Vec<Peer> {
        self.callers.hosts()
    }

    fn is_idle(&self) -> bool {
        self.callers.is_empty()
    }
}

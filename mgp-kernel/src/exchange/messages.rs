//! The messages that pass through the exchange of a server.

use super::{Exchange, asked, call, callbacks, questions};
use crate::{
    features::tasks::TaskTable,
    ground::caller::{Caller, NoCaller},
    host::HostDialect,
    upstream::{HostQuestion, LOG_TIMEOUT, Server, ServerExchange},
};
use futures_core::future::BoxFuture;
use mgp_transport::seam::{BoxError, Incoming, Peer, Reply};
use mgp_types::{
    error::ErrorCode,
    json::RawObject,
    mcp::ElicitationComplete,
    rpc::{ErrorObject, Notice, RawResult},
};
use std::{
    future::ready,
    sync::{Arc, Weak},
};

impl Exchange {
    /// Creates the exchange of a new server. `tasks` are the tasks of all servers.
    pub(crate) fn for_server(server: Weak<Server>, tasks: Arc<TaskTable>) -> Arc<dyn ServerExchange> {
        let (callers, elicited, callbacks) = Default::default();
        Arc::new(Self { server, tasks, callers, elicited, callbacks })
    }

    /// Returns the server.
    ///
    /// # Errors
    /// 2000 (`SERVER_NOT_READY`) if the server is gone.
    fn server(&self) -> Result<Arc<Server>, ErrorObject> {
        let gone = || ErrorCode::ServerNotReady.error("the server is not connected");
        self.server.upgrade().ok_or_else(gone)
    }
}

impl ServerExchange for Exchange {
    fn send(self: Arc<Self>, message: Incoming) -> BoxFuture<'static, Result<Reply, BoxError>> {
        match self.server() {
            Ok(server) => Box::pin(call::send(self, server, message)),
            Err(error) => Box::pin(ready(Ok(error.into()))),
        }
    }

    fn ask<'a>(
        &'a self,
        caller: &'a Caller,
        question: HostQuestion<'a>,
    ) -> BoxFuture<'a, Result<RawResult, ErrorObject>> {
        Box::pin(async move {
            let server = self.server()?;
            questions::ask(&self.elicited, &server, caller, question).await
        })
    }

    fn answer<'a>(
        &'a self,
        message: Incoming,
        outside: &'a (dyn Fn() -> Option<Caller> + Send + Sync),
    ) -> BoxFuture<'a, Result<RawResult, ErrorObject>> {
        Box::pin(async move { asked::answer(self, &self.server()?, message, outside).await })
    }

    fn callback<'a>(&'a self, message: &'a Incoming) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if let (Some(peer), Ok(server)) = (message.peer(), self.server()) {
                callbacks::take(self, &server, peer, &message.params, message.related_request()).await;
            }
        })
    }

    fn elicitation_complete<'a>(&'a self, params: &'a RawObject) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let host = params.text("elicitationId").and_then(|id| self.elicited.take(&id));
            let Some(host) = host else {
                let server = self.server.upgrade();
                return tracing::debug!(
                    server = server.as_deref().map(Server::id),
                    "an unknown elicitation is done"
                );
            };
            let params = HostDialect::of(Some(host.session())).params(params.clone().into());
            let told = host.notify(ElicitationComplete::METHOD, params);
            if !matches!(tokio::time::timeout(LOG_TIMEOUT, told).await, Ok(Ok(()))) {
                tracing::debug!("a host was not notified that an elicitation is done");
            }
        })
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

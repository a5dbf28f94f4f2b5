//! Begins the requests of stateless clients.

use super::{
    exchange::Exchange,
    exchanges::{ExchangeGuard, Exchanges},
};
use crate::{
    connection::{Connection, WaitPrediction},
    http::server::{
        HttpServerConfig,
        backend::Backend,
        limits::Room,
        refusal::Refusal,
        stream::{Limits, Reader, Retention},
    },
    seam::Incoming,
};
use mgp_types::{context::Principal, mcp::stateless::RequestEnvelope, negotiation::read_offer};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// The requests of stateless clients, and the service that handles them.
pub(in crate::http::server) struct StatelessRequests {
    backend: Arc<Backend>,
    config: Arc<HttpServerConfig>,
    /// The requests in flight.
    pub(in crate::http::server) exchanges: Exchanges,
    prediction: WaitPrediction,
}

impl StatelessRequests {
    pub(in crate::http::server) fn new(backend: Arc<Backend>, config: Arc<HttpServerConfig>) -> Self {
        let (exchanges, prediction) = Default::default();
        Self { backend, config, exchanges, prediction }
    }

    /// Begins a request whose client describes itself in `envelope`. The request is cancelled if the returned guard is dropped
    /// before the answer.
    pub(in crate::http::server) fn begin(
        &self,
        principal: &Principal,
        envelope: RequestEnvelope,
        mut incoming: Incoming,
    ) -> Result<(Arc<Exchange>, Reader, ExchangeGuard), Refusal> {
        let has_mgp = read_offer(&envelope.capabilities.0).is_some();
        let entered = self.exchanges.enter(principal, self.room());
        let mut underway = entered.map_err(|refusal| refusal.in_mgp(has_mgp))?;
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = format!("request-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let limits = Limits {
            waiting: Retention { messages: self.config.stream_messages, bytes: self.config.stream_bytes },
            write_timeout: self.config.write_timeout,
            kept: Retention { messages: 0, bytes: 0 },
            resume_timeout: Duration::ZERO,
        };
        let (exchange, reader) = Exchange::new(limits);
        let (session, service, _) = self.backend.begin(&id, principal);
        incoming.ext.insert(envelope);
        let connection = Connection::builder(service)
            .session(session)
            .config(self.config.session.clone())
            .wait_prediction(self.prediction.clone());
        underway.started(connection.answer_one(incoming, exchange.clone()));
        Ok((exchange, reader, underway))
    }

    /// Returns the limits on requests of clients without sessions.
    fn room(&self) -> Room {
        let several = self.backend.authority().has_several_callers();
        Room::new(self.config.requests, self.config.requests_of_one, several)
    }
}

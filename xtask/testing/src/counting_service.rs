//! The inner service of a tested layer.

use mgp_transport::seam::{BoxError, Reply};
use mgp_types::json::RawJson;
use std::{
    future::{Ready, ready},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};
use tower_service::Service;

/// A service that answers everything with the same reply, and counts the calls. Clones count together.
#[derive(Debug, Clone)]
pub struct CountingService {
    /// The number of calls so far.
    pub calls: Arc<AtomicUsize>,
    reply: Reply,
}

impl CountingService {
    /// Creates a service that answers with a tool's result without content.
    #[must_use]
    pub fn new() -> Self {
        Self::answering(r#"{"content":[]}"#)
    }

    /// Creates a service that answers with a result.
    ///
    /// # Panics
    /// If the result is not JSON.
    #[must_use]
    pub fn answering(result: &'static str) -> Self {
        Self { calls: Arc::default(), reply: Reply::ok(RawJson::parse(result).unwrap()) }
    }

    /// Returns the number of calls that reached the service.
    #[must_use]
    pub fn reached(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl Default for CountingService {
    fn default() -> Self {
        Self::new()
    }
}

impl<R> Service<R> for CountingService {
    type Response = Reply;
    type Error = BoxError;
    type Future = Ready<Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: R) -> Self::Future {
        self.calls.fetch_add(1, Ordering::SeqCst);
        ready(Ok(self.reply.clone()))
    }
}

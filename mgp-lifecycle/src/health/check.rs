//! A single check of a server's own health.

use futures_util::future::BoxFuture;
use std::{fmt, future::Future, sync::Arc, time::Duration};

/// A single check of a server's own health, such as whether its database answers.
#[derive(Clone)]
pub struct HealthCheck {
    name: Arc<str>,
    weight: Weight,
    run: Arc<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>,
}

/// The effect of a failed check on the health of the whole server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// The server is degraded if the check fails.
    Helpful,
    /// The server is unhealthy if the check fails.
    Needed,
}

/// The time limit of one check: less than the five seconds in which a server must answer.
const TIMEOUT: Duration = Duration::from_secs(4);

impl HealthCheck {
    /// Creates a named check. A check that takes longer than four seconds counts as failed.
    pub fn new<F, Fut>(name: impl Into<Arc<str>>, weight: Weight, run: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = bool> + Send + 'static,
    {
        Self { name: name.into(), weight, run: Arc::new(move || Box::pin(run())) }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the effect of a failure on the health of the whole server.
    #[must_use]
    pub const fn weight(&self) -> Weight {
        self.weight
    }

    /// Runs the check.
    pub(super) async fn passes(&self) -> bool {
        tokio::time::timeout(TIMEOUT, (self.run)()).await.unwrap_or_else(|_| {
            tracing::warn!(check = &*self.name, limit = ?TIMEOUT, "a health check took too long");
            false
        })
    }
}

impl fmt::Debug for HealthCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HealthCheck")
            .field("name", &self.name)
            .field("weight", &self.weight)
            .finish_non_exhaustive()
    }
}

//! One thing that a server looks at to say how it is.

use futures_util::future::BoxFuture;
use std::{fmt, future::Future, sync::Arc, time::Duration};

/// One thing that a server looks at to say how it is, such as whether its database answers.
#[derive(Clone)]
pub struct HealthCheck {
    name: Arc<str>,
    weight: Weight,
    run: Arc<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>,
}

/// What a check that fails says about the whole server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Without it the server is degraded.
    Helpful,
    /// Without it the server is unhealthy.
    Needed,
}

/// How long one check may take: less than the five seconds in which a server must answer.
const TIME_LIMIT: Duration = Duration::from_secs(4);

impl HealthCheck {
    /// A check with a name. One that takes longer than four seconds counts as failed.
    pub fn new<F, Fut>(name: impl Into<Arc<str>>, weight: Weight, run: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = bool> + Send + 'static,
    {
        Self { name: name.into(), weight, run: Arc::new(move || Box::pin(run())) }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What a failure says about the whole server.
    #[must_use]
    pub const fn weight(&self) -> Weight {
        self.weight
    }

    /// Runs it.
    pub(super) async fn passes(&self) -> bool {
        tokio::time::timeout(TIME_LIMIT, (self.run)()).await.unwrap_or_else(|_| {
            tracing::warn!(check = &*self.name, limit = ?TIME_LIMIT, "a health check took too long");
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

//! One authorization that many requests wait for.

use super::OAuthError;
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use std::{future::Future, sync::Arc};
use tokio::task::AbortHandle;

type Outcome = Result<(), Arc<OAuthError>>;

/// One authorization that many requests wait for. It runs to its end even if no request waits any more: a traded refresh token must
/// not be lost with the call that needed it.
#[derive(Debug, Clone)]
pub(super) struct Flight {
    landing: Shared<BoxFuture<'static, Outcome>>,
    task: AbortHandle,
}

impl Flight {
    /// Starts an authorization.
    pub(super) fn start(work: impl Future<Output = Outcome> + Send + 'static) -> Self {
        let work = tokio::spawn(work);
        let task = work.abort_handle();
        let landing = async move { work.await.unwrap_or_else(|_| Err(Arc::new(OAuthError::Ended))) };
        Self { landing: landing.boxed().shared(), task }
    }

    /// Returns `true` if the authorization has ended, and the next one may start.
    pub(super) fn is_over(&self) -> bool {
        self.task.is_finished()
    }

    /// Waits until the authorization ends.
    pub(super) async fn end(self) -> Outcome {
        self.landing.await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_flight_ends_for_all_waiters_even_if_it_panics() {
        let (go, gone) = tokio::sync::oneshot::channel::<()>();
        let flight = Flight::start(async move {
            let _ = gone.await;
            Ok(())
        });
        assert!(!flight.is_over());
        drop(go);
        let (one, other) = tokio::join!(flight.clone().end(), flight.clone().end());
        assert!(one.is_ok() && other.is_ok() && flight.is_over());
        let broken = Flight::start(async { panic!("on purpose") });
        assert!(matches!(*broken.clone().end().await.unwrap_err(), OAuthError::Ended));
        assert!(broken.is_over());
    }
}

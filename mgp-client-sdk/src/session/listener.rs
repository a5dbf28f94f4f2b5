//! The receiver of a subscription's notifications, and the limits of a subscription.

use futures_util::future::BoxFuture;
use mgp_transport::seam::{CallError, Notification};
use mgp_types::{error::ErrorCode, mcp::SubscriptionFilter, rpc::JsonRpcCode};
use std::time::Duration;

/// The receiver of a subscription's notifications.
pub trait Listener: Send + Sync + 'static {
    /// Handles a notification that the server sent to the subscription. In the era of `initialize`, changes are sent to the session
    /// instead.
    fn hear(&self, notification: Notification) -> BoxFuture<'_, ()>;

    /// Sets the subscription that the server reports from now on, and the reason why changes may have been missed
    /// until now.
    fn accepted<'a>(&'a self, filter: &'a SubscriptionFilter, gap: Gap) -> BoxFuture<'a, ()>;

    /// Sets the subscription that the server may report during a change.
    fn listens_for(&self, _filter: &SubscriptionFilter) {}

    /// Sets the subscription id of the server's events from now on, in the era of `initialize`.
    fn events_come_as(&self, _subscription_id: &str) {}

    /// Handles a renewal of the session, before its resources are subscribed to again.
    fn renewed(&self) {}

    /// Handles the end of a subscription that was given up.
    fn ended(&self, error: CallError);
}

/// The reason why changes may have been missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// None were missed.
    None,
    /// The server was not subscribed to before.
    Start,
    /// The open request broke, and was sent again.
    Break,
    /// The server had forgotten the session, which was renewed.
    Renewal,
}

/// The limits of a subscription.
#[derive(Debug, Clone, Copy)]
pub struct ListenLimits {
    /// The time limit for the server to accept an open request.
    pub accept: Duration,
    /// The time limit for the server to answer a request for one resource.
    pub answer: Duration,
    /// The delay before a broken subscription is opened again; the delay doubles with each failure.
    pub delay: Duration,
    /// The maximum delay.
    pub max_delay: Duration,
    /// The number of consecutive failures after which a broken subscription is given up. `None` keeps the subscription whatever the server
    /// answers: a refusal is retried, and a server that does not accept in time is used anyway.
    pub tries: Option<u32>,
}

impl ListenLimits {
    /// Returns the delay before the next attempt, after a number of consecutive failures; `None` if the subscription is given up.
    pub fn delay_after(&self, failures: u32, error: Option<&CallError>) -> Option<Duration> {
        let is_over = |error| self.tries.is_some_and(|tries| failures >= tries || !may_pass(error));
        let delay = self.delay.saturating_mul(2u32.saturating_pow(failures.min(16))).min(self.max_delay);
        (!error.is_some_and(is_over)).then_some(delay)
    }
}

/// Returns `true` if the same request may succeed later.
fn may_pass(error: &CallError) -> bool {
    match error {
        CallError::Peer(error) => {
            let passing = [
                ErrorCode::UpstreamUnavailable,
                ErrorCode::UpstreamError,
                ErrorCode::RateLimited,
                ErrorCode::ResourceExhausted,
                ErrorCode::Timeout,
            ];
            passing.map(i64::from).contains(&error.code)
                || error.code == i64::from(JsonRpcCode::InternalError)
        }
        CallError::Unreadable(_) | CallError::SlowCaller { .. } | CallError::TooManyCalls { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::rpc::ErrorObject;

    #[test]
    fn delays_double_up_to_a_bound() {
        let second = Duration::from_secs(1);
        let (accept, answer, delay, max_delay) = (second, second, second, second * 60);
        let kept = ListenLimits { accept, answer, delay, max_delay, tries: None };
        let [passing, lasting] =
            [ErrorObject::internal("not now"), ErrorObject::invalid_params("never")].map(CallError::Peer);
        let delays = [1, 2, 5, 6, u32::MAX].map(|failures| kept.delay_after(failures, Some(&lasting)));
        assert_eq!(delays.map(|delay| delay.unwrap().as_secs()), [2, 4, 32, 60, 60]);
        let tried = ListenLimits { tries: Some(3), ..kept };
        for (failures, error, is_kept) in [
            (2, Some(&passing), true),
            (3, Some(&passing), false),
            (1, Some(&lasting), false),
            (9, None, true),
        ] {
            assert_eq!(tried.delay_after(failures, error).is_some(), is_kept, "{failures} {error:?}");
        }
    }
}

//! §13.2 The subscription to events at a server of the era of `initialize`.

use super::{
    ServerSession,
    subscription_state::{HeldSubscription, SubscriptionState},
};
use mgp_transport::seam::CallError;
use mgp_types::events::{
    SubscribeEvents, SubscribeParams, SubscribeResult, UnsubscribeEvents, UnsubscribeParams,
};
use std::time::Duration;

impl ServerSession {
    /// Replaces the events of a subscription. The new ones are subscribed to before the old ones are given up, so that none is missed.
    /// Events in between may be received twice.
    ///
    /// # Errors
    /// The server's refusal; the old subscription stays.
    pub(super) async fn change_events(
        &self,
        subscribed: &SubscriptionState,
        wanted: Option<SubscribeParams>,
    ) -> Result<(), CallError> {
        if subscribed.events.is_for(wanted.as_ref()) {
            return Ok(());
        }
        let next = match wanted {
            None => None,
            Some(params) => {
                let result = self.say::<SubscribeEvents>(subscribed, &params).await?;
                subscribed.listener.events_come_as(&result.subscription_id);
                Some(HeldSubscription { params, result })
            }
        };
        let before = std::mem::replace(&mut *subscribed.events.0.lock(), next);
        if let Some(HeldSubscription { result: SubscribeResult { subscription_id, .. }, .. }) = before {
            let params = UnsubscribeParams { subscription_id };
            if let Err(error) = self.say::<UnsubscribeEvents>(subscribed, &params).await {
                tracing::debug!(%error, "the server did not end a subscription to events");
            }
        }
        Ok(())
    }

    /// Renews a subscription to events if the server has forgotten it. Returns the delay before the next attempt if the server refuses.
    /// If the subscription is given up, it no longer includes events, and its listener receives the reason.
    pub(super) async fn renew_events(
        &self,
        subscribed: &SubscriptionState,
        failures: u32,
    ) -> Option<Duration> {
        let Err(error) = self.change_events(subscribed, subscribed.wanted_events()).await else {
            return None;
        };
        tracing::warn!(%error, "the server did not accept the renewed subscription to events");
        let delay = subscribed.limits.delay_after(failures, Some(&error));
        if delay.is_none() {
            subscribed.give_up_events();
            subscribed.listener.ended(error);
        }
        delay
    }
}

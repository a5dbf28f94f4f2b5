//! `subscriptions/listen`: a request that stays open and delivers changes until its client closes it or the server stops.

use super::Notifier;
use futures_util::{FutureExt, future::BoxFuture};
use mgp_stream::events::EventSubscription;
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{Listen, ListenParams, SubscriptionFilter, SubscriptionsAcknowledged},
    rpc::{ErrorObject, Notice},
};
use std::{future::pending, sync::Arc};

/// The most resources that one request may name, and the most tasks.
const MOST: usize = 1024;

impl Notifier {
    /// Answers `subscriptions/listen`. `filter` is the permitted part of the client's filter, and `events` the subscription to
    /// the events that the filter names.
    ///
    /// The future resolves when the server stops or its connection is drained. Until then, the requested changes are sent on this
    /// request's stream. Cancelling the request ends the stream too.
    #[must_use]
    pub fn listen(
        &self,
        incoming: &Incoming,
        filter: SubscriptionFilter,
        events: Option<EventSubscription>,
    ) -> BoxFuture<'static, Reply> {
        let (Some(peer), Some(id)) = (incoming.peer().cloned(), incoming.id.clone()) else {
            let error = ErrorObject::internal("internal error: the request has no connection");
            return async move { Reply::error(error) }.boxed();
        };
        let (notifier, cancel) = (self.clone(), incoming.cancel_token().cloned().unwrap_or_default());
        async move {
            // The client is added before the acknowledgement is sent, so that it misses no later change. The gate is locked until
            // then, so that the acknowledgement is sent first.
            let gate = Arc::new(tokio::sync::Mutex::new(()));
            let acknowledging = gate.clone().lock_owned().await;
            let _listening = notifier.audience.listen(&peer, &id, filter.clone(), gate);
            let acknowledged = ListenParams::new(filter);
            let params = RawJson::from_value(&acknowledged)
                .and_then(|params| RawObject::from_json(&params))
                .map(|params| Listen::tagged(params, &id));
            let params = match params {
                Ok(params) => params,
                Err(error) => return Reply::error(error.into()),
            };
            if let Err(error) = peer.notify(SubscriptionsAcknowledged::METHOD, params).await {
                tracing::debug!(%error, "a client disconnected before its subscription was acknowledged");
            }
            drop(acknowledging);
            let forwarding = async {
                if let Some(events) = events {
                    let name = id.to_json().decode().unwrap_or_else(|_| id.to_string());
                    events.forward(&peer, &name, Some(&id)).await;
                }
                // The end of a subscription to events does not end the others.
                pending::<()>().await;
            };
            tokio::select! {
                () = forwarding => {}
                () = cancel.cancelled() => return Reply::cancelled(RawJson::empty_object()),
                () = notifier.stopped() => {}
                () = peer.draining() => {}
            }
            Reply::ok(Listen::tagged(RawObject::new(), &id))
        }
        .boxed()
    }
}

/// Returns the filter of a request to listen.
///
/// # Errors
/// Returns -32602 if the params cannot be read, or name too many resources or tasks.
pub fn asked_for(incoming: &Incoming) -> Result<SubscriptionFilter, ErrorObject> {
    let ListenParams { notifications, .. } = incoming.params.decode()?;
    let SubscriptionFilter { resource_subscriptions, task_ids, .. } = &notifications;
    for (member, ids) in [("resourceSubscriptions", resource_subscriptions), ("taskIds", task_ids)] {
        let count = ids.len();
        if count > MOST {
            let problem = format!("expected at most {MOST}, found {count}");
            return Err(ErrorObject::invalid_params(format!(
                "invalid params: notifications.{member}: {problem}"
            )));
        }
    }
    Ok(notifications)
}

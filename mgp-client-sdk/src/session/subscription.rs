//! Subscriptions to changes at a server: requests for single resources in the era of `initialize`, and an open request in the stateless
//! era.

use super::{
    ServerSession,
    listener::{ListenLimits, Listener},
    listening::{Command, ListenRequest},
    subscription_state::SubscriptionState,
};
use mgp_transport::{connection::ConnectionError, seam::CallError};
use mgp_types::mcp::SubscriptionFilter;
use std::{fmt, sync::Arc};
use tokio::sync::{mpsc, oneshot};

/// A subscription to changes at a server.
pub struct Subscription {
    session: ServerSession,
    way: Way,
}

/// The form in which the server is asked.
enum Way {
    /// Resource by resource.
    Requests(Arc<SubscriptionState>),
    /// With an open request.
    Stream(mpsc::Sender<Command>),
}

impl ServerSession {
    /// Begins an empty subscription. The returned [`ListenRequest`] must be run; it ends with the subscription.
    pub fn subscription(
        &self,
        listener: Arc<dyn Listener>,
        limits: ListenLimits,
    ) -> (Subscription, Option<ListenRequest>) {
        let (way, listening) = if self.is_stateless() {
            let (task, commands) = mpsc::channel(1);
            (Way::Stream(task), Some(ListenRequest::new(self.clone(), listener, limits, commands)))
        } else {
            (Way::Requests(self.join(listener, limits)), None)
        };
        (Subscription { session: self.clone(), way }, listening)
    }
}

impl Subscription {
    /// Replaces the subscription. Changes of lists and resources in both are reported throughout.
    ///
    /// # Errors
    /// [`CallError`]; the earlier subscription stays.
    pub async fn set(&self, mut wanted: SubscriptionFilter) -> Result<(), CallError> {
        match &self.way {
            Way::Requests(subscribed) => self.session.change(subscribed, wanted).await,
            Way::Stream(task) => {
                // A plain MCP server does not know MGP's events.
                wanted.mgp = wanted.mgp.filter(|_| self.session.greeting.negotiated.is_some());
                let gone = || CallError::from(ConnectionError::Closed);
                let (done, answer) = oneshot::channel();
                task.send(Command { wanted, done }).await.map_err(|_| gone())?;
                answer.await.map_err(|_| gone())?
            }
        }
    }

    /// Ends the subscription. An open request ends when the subscription is dropped. Single resources are unsubscribed from here, in the
    /// background.
    pub fn leave(&self) {
        // Without a runtime nothing can be sent, and the connection is gone.
        if let (Way::Requests(subscribed), Ok(runtime)) = (&self.way, tokio::runtime::Handle::try_current()) {
            let (session, subscribed) = (self.session.clone(), subscribed.clone());
            runtime.spawn(async move { session.leave(&subscribed).await });
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("session", &self.session).finish_non_exhaustive()
    }
}

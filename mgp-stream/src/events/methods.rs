//! §13.2 `mgp/events/subscribe` and `mgp/events/unsubscribe`, for clients with a session.

use super::{
    EventSubscription,
    session::{Place, SessionSubscriptions},
};
use mgp_transport::seam::{Incoming, Peer, Reply, Role, RouteError, Routes, Session};
use mgp_types::{
    events::{
        SubscribeEvents, SubscribeParams, SubscribeResult, UnsubscribeEvents, UnsubscribeParams,
        UnsubscribeResult,
    },
    negotiation::{Extension, Negotiation},
    rpc::{ErrorObject, JsonRpcCode, RequestId},
};
use std::time::Duration;

/// A source of the events of channels.
pub trait EventSource: Clone + Send + Sync + 'static {
    /// Begins the subscription that a message asks for.
    ///
    /// # Errors
    /// The refusal, such as -32602 for params past the [bounds](super::check_params).
    fn open(
        &self,
        message: &Incoming,
        params: SubscribeParams,
    ) -> impl Future<Output = Result<OpenedEvents, ErrorObject>> + Send;
}

/// A subscription that has begun.
#[derive(Debug)]
pub struct OpenedEvents {
    /// The requested channels that exist.
    pub subscribed: Vec<String>,
    /// The requested names and patterns that match no channel.
    pub unsupported: Vec<String>,
    /// The subscription.
    pub subscription: EventSubscription,
}

/// Returns the methods. A subscription ends with its session. `lasts` returns whether a session outlives one request. The methods are refused
/// in a revision of MCP without such sessions.
#[must_use]
pub fn routes<S: EventSource>(lasts: fn(&Session) -> bool) -> Routes<S> {
    Routes::new()
        .route(SubscribeEvents, Role::Anyone, move |source: S, message| async move {
            let session = session_of(&message, lasts)?;
            subscribe(source, session, message).await
        })
        .route(UnsubscribeEvents, Role::Anyone, move |_: S, message| async move {
            Ok(unsubscribe(&session_of(&message, lasts)?, &message)?)
        })
}

async fn subscribe<S: EventSource>(
    source: S,
    session: Session,
    message: Incoming,
) -> Result<Reply, RouteError> {
    let params: SubscribeParams = message.params.decode()?;
    let place = SessionSubscriptions::of(&session).take_place()?;
    let OpenedEvents { subscribed, unsupported, subscription } = source.open(&message, params).await?;
    let result = SubscribeResult { subscribed, unsupported, subscription_id: place.id.clone() };
    if let (Some(peer), Some(request)) = (message.peer(), message.id.clone()) {
        tokio::spawn(follow(subscription, peer.clone(), request, place));
    }
    Ok(Reply::from_value(&result))
}

fn unsubscribe(session: &Session, message: &Incoming) -> Result<Reply, ErrorObject> {
    let UnsubscribeParams { subscription_id } = message.params.decode()?;
    let removed = SessionSubscriptions::of(session).end(&subscription_id);
    Ok(Reply::from_value(&UnsubscribeResult { subscription_id, removed }))
}

/// The interval between checks of whether the answer to a request has been written.
const ANSWERED: Duration = Duration::from_millis(1);

/// Sends the events of a subscription to a session, once the answer that holds the subscription's id is on its way.
async fn follow(subscription: EventSubscription, peer: Peer, request: RequestId, mut place: Place) {
    let (session, id) = (peer.unbound(), place.id.clone());
    let following = async {
        while peer.running(&request).is_some() && !peer.is_closed() {
            tokio::time::sleep(ANSWERED).await;
        }
        subscription.forward(&session, &id, None).await;
    };
    tokio::select! {
        // Checked first: nothing more is sent once the end of the subscription is answered.
        biased;
        () = place.ended() => {}
        () = following => {}
    }
}

/// Returns the session that subscriptions belong to.
///
/// # Errors
/// -32601 if the client did not negotiate events; -32600 if it has no session.
fn session_of(message: &Incoming, lasts: fn(&Session) -> bool) -> Result<Session, ErrorObject> {
    let session = message.session().filter(|session| {
        session.get::<Negotiation>().is_some_and(|negotiated| negotiated.has(Extension::Events))
    });
    let Some(session) = session else {
        let method = &message.method;
        let error =
            format!("method not found: {method} needs the extension \"events\", which was not negotiated");
        return Err(ErrorObject::new(JsonRpcCode::MethodNotFound, error));
    };
    if !lasts(session) {
        return Err(ErrorObject::invalid_request(format!(
            "{} needs a session: in this revision of MCP, subscribe with subscriptions/listen and \
             notifications[\"dev.cloto/mgp\"].events",
            message.method
        )));
    }
    Ok(session.clone())
}

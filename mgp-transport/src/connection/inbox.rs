//! Routes each message from a reader, without waiting for the service.

use super::{
    Body, ConnectionError, ConnectionState, Outgoing, RefusalHook, Route, Unreadable,
    dispatch::AdmittedMessage, edge, pending::Delivery, running::AdmissionError,
};
use crate::{
    codec::batch,
    era,
    outbound::send_cancelled,
    seam::{
        BoxPeerService, CallContext, CallError, CancelCause, CancelToken, Extensions, Incoming, Notification,
        Peer, PeerConnection, Reply, warn_limited,
    },
};
use bytes::Bytes;
use mgp_types::{
    error::ErrorCode,
    json::RawJson,
    mcp::{Ping, stateless::SUBSCRIPTION_ID_KEY},
    rpc::{Call, ErrorObject, Frame, FrameError, Lane, Method, RawParams, RequestId},
};
use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, atomic::Ordering},
};
use tokio::sync::{Semaphore, mpsc};

/// The number of unreadable messages of a connection that are logged as warnings. More would fill the log if a program prints
/// other text.
const UNREADABLE_LOGGED: u64 = 5;

/// The entry point of messages: routes them in wire order, without waiting.
#[derive(Debug)]
pub struct Inbox {
    pub(super) shared: Arc<ConnectionState>,
    pub(super) admit: mpsc::Sender<AdmittedMessage>,
    pub(super) lane: Option<BoxPeerService>,
    /// The permits of the lane's running requests.
    pub(super) lane_places: Arc<Semaphore>,
}

impl Inbox {
    /// Routes a message. `route` is the destination of its answer.
    pub fn receive(&self, frame: Frame, route: Route) {
        self.receive_with(frame, route, Extensions::new());
    }

    /// Routes a message with context, such as the rights of its credentials.
    pub fn receive_with(&self, frame: Frame, route: Route, context: Extensions) {
        self.shared.received.fetch_add(1, Ordering::Relaxed);
        match frame {
            Frame::Response { id, outcome } => self.reply(id, outcome),
            Frame::Request { id, method, params } => self.request(id, method, params, route, context),
            Frame::Notification { method, params } => self.notification(method, params, route, context),
        }
    }

    /// Reads one text and routes the message in it, or the messages of a batch if the agreed revision has batches. A message that
    /// cannot be read is refused.
    pub fn receive_text(&self, text: Bytes, route: &Route) {
        if !batch::is_batch(&text) || !era::has_batches(self.shared.session.get()) {
            return self.receive_one(Frame::parse(&text), route);
        }
        match batch::read(text, self.shared.config.batch) {
            Ok(frames) => frames.into_iter().for_each(|frame| self.receive_one(frame, route)),
            Err(error) => self.refuse(error, route),
        }
    }

    fn receive_one(&self, frame: Result<Frame, FrameError>, route: &Route) {
        match frame {
            Ok(frame) => self.receive(frame, route.clone()),
            Err(error) => self.refuse(error, route),
        }
    }

    /// Answers a text that is not a message with an error. If the text was meant as a response, ends the call that it names
    /// instead.
    pub fn refuse(&self, error: FrameError, route: &Route) {
        let session = self.shared.session.id();
        let count = self.shared.unreadable.fetch_add(1, Ordering::Relaxed) + 1;
        if count <= UNREADABLE_LOGGED {
            tracing::warn!(session, error = %error.error, count, "unreadable message");
        } else {
            tracing::debug!(session, error = %error.error, count, "unreadable message");
        }
        let number = error.id.as_ref().and_then(RequestId::number);
        if error.is_response || error.is_bare && number.is_some_and(|id| self.shared.pending.holds(id)) {
            if let Some(id) = number {
                // An error of MGP states the outcome of the call.
                let outcome = match ErrorCode::from_code(error.error.code) {
                    Some(_) => CallError::Peer(error.error),
                    None => CallError::Unreadable(error.error.message),
                };
                self.shared.pending.finish(id, Err(outcome));
            }
            return;
        }
        if error.id.is_none() && self.shared.config.unreadable == Unreadable::PassOver {
            return;
        }
        self.respond_now(error.id.as_ref(), route, None, error.error);
    }

    /// Ends a call with an error of the transport.
    pub fn fail(&self, id: &RequestId, error: ErrorObject) {
        self.reply(Some(id.clone()), Err(error));
    }

    /// Ends a call with an error of the transport, where the other side certainly did not run the call.
    pub fn fail_unrun(&self, id: &RequestId, error: ErrorObject) {
        if let Some(id) = id.number() {
            self.shared.pending.finish_unrun(id, CallError::Peer(error));
        }
    }

    /// Ends the connection.
    pub fn close(&self, reason: ConnectionError) {
        self.shared.close(reason);
    }

    /// Returns the handle on the other side.
    #[must_use]
    pub fn peer(&self) -> Peer {
        Peer::new(self.shared.clone(), Route::Session)
    }

    fn reply(&self, id: Option<RequestId>, outcome: Result<RawJson, ErrorObject>) {
        let Some(id) = id else {
            let error = outcome.err().map(|e| e.to_string()).unwrap_or_default();
            return warn_limited!(
                self.shared.warnings.unread,
                session = self.shared.session.id(),
                error,
                "the peer could not read a message"
            );
        };
        let known =
            id.number().is_some_and(|id| self.shared.pending.finish(id, outcome.map_err(CallError::Peer)));
        if !known {
            tracing::debug!(session = self.shared.session.id(), %id, "reply to no call that waits");
        }
    }

    fn request(&self, id: RequestId, method: Method, params: RawParams, route: Route, context: Extensions) {
        // A server of a stateless revision asks for input in its answers, and receives no responses.
        if self.shared.members.are_stateless() {
            let session = self.shared.session.id();
            let limit = &self.shared.warnings.requests;
            return warn_limited!(limit, session, %method, "request of a stateless server dropped");
        }
        let of_the_lane =
            Lane::of(&method) == Lane::Priority && (self.lane.is_some() || method == *Ping::METHOD);
        let beside = if of_the_lane { self.shared.config.lane } else { 0 };
        let cancel = match self.shared.running.admit(id.clone(), params.len(), beside) {
            Ok(cancel) => cancel,
            Err(AdmissionError::SameId) => {
                let message = format!("invalid id: a request with the id {id} is still running");
                let error = ErrorObject::invalid_request(message);
                return self.respond_now(Some(&id), &route, Some(&params), error);
            }
            Err(AdmissionError::TooMany) => {
                return self.overloaded(&id, &route, &params, "requests are running");
            }
        };
        // A connection that was closed just now has cancelled only the requests that were registered.
        if self.shared.is_closed() {
            cancel.cancel(CancelCause::Disconnected);
        }
        if of_the_lane {
            return self.lane(id, method, params, route, cancel, context);
        }
        let incoming = self.incoming(Some(id), method, params, route, cancel, context);
        if let Err(error) = self.admit.try_send(incoming) {
            let (mpsc::error::TrySendError::Full(admitted) | mpsc::error::TrySendError::Closed(admitted)) =
                error;
            let AdmittedMessage { incoming, route } = &admitted;
            if let Some(id) = &incoming.id {
                self.shared.running.remove(id);
                self.overloaded(id, route, &incoming.params, "messages are waiting");
            }
        }
    }

    fn notification(&self, method: Method, params: RawParams, route: Route, context: Extensions) {
        match &*method {
            "notifications/cancelled" => {
                if let Some(token) = id_of(&params, "requestId").and_then(|id| self.shared.running.token(&id))
                {
                    token.cancel(CancelCause::Notification);
                }
                return;
            }
            "notifications/progress" => {
                if let Some(id) = id_of(&params, "progressToken").and_then(|id| id.number()) {
                    return self.deliver(id, method, params);
                }
            }
            "notifications/mgp.stream.chunk" | "notifications/mgp.stream.progress" => {
                let Some(id) = id_of(&params, "request_id").and_then(|id| id.number()) else { return };
                return self.deliver(id, method, params);
            }
            "notifications/mgp.callback.request" => {
                // The peer waits for an answer, even if the question's call has ended: the service then answers with an error.
                let id = id_of(&params, "request_id").and_then(|id| id.number());
                if let Some(id) = id.filter(|id| self.shared.pending.is_waiting(*id)) {
                    return self.deliver(id, method, params);
                }
            }
            _ => {
                // In a stateless revision, a subscription's notification belongs to the request that subscribed.
                if self.shared.members.are_stateless()
                    && let Some(id) = subscription_of(&params)
                {
                    return self.deliver(id, method, params);
                }
            }
        }
        let bytes = params.len();
        if !self.shared.running.hold(bytes) {
            let session = self.shared.session.id();
            let limit = &self.shared.warnings.no_room;
            return warn_limited!(limit, session, %method, bytes, "no room: notification dropped");
        }
        let admitted = self.incoming(None, method, params, route, CancelToken::new(), context);
        if let Err(error) = self.admit.try_send(admitted) {
            let (mpsc::error::TrySendError::Full(admitted) | mpsc::error::TrySendError::Closed(admitted)) =
                error;
            self.shared.running.release(bytes);
            let (session, method) = (self.shared.session.id(), &admitted.incoming.method);
            let limit = &self.shared.warnings.backlog;
            warn_limited!(limit, session, %method, "backlog full: notification dropped");
        }
    }

    /// Routes a notification that arrived on the stream of a call.
    pub fn receive_for(&self, call: i64, method: Method, params: RawParams) {
        self.shared.received.fetch_add(1, Ordering::Relaxed);
        self.deliver(call, method, params);
    }

    /// Hands a notification to the call that it names, ahead of that call's reply.
    fn deliver(&self, id: i64, method: Method, params: RawParams) {
        match self.shared.pending.notify(id, Notification { method, params }) {
            Delivery::Taken => {}
            Delivery::NoSuchCall => {
                tracing::debug!(session = self.shared.session.id(), id, "notification of no call that waits");
            }
            Delivery::CallFailed => {
                let session = self.shared.session.id();
                let limit = &self.shared.warnings.callers;
                warn_limited!(limit, session, id, "the caller does not read its notifications");
                send_cancelled(&*self.shared.outbound, &Route::Session, id, "the caller does not read");
            }
        }
    }

    /// Runs a request of the lane, concurrently with everything else.
    fn lane(
        &self,
        id: RequestId,
        method: Method,
        params: RawParams,
        route: Route,
        cancel: CancelToken,
        context: Extensions,
    ) {
        let Ok(place) = self.lane_places.clone().try_acquire_owned() else {
            self.shared.running.remove(&id);
            return self.overloaded(&id, &route, &params, "requests that bypass the limits are running");
        };
        let (shared, lane) = (self.shared.clone(), self.lane.clone());
        let admitted = self.incoming(Some(id.clone()), method, params, route, cancel.clone(), context);
        tokio::spawn(async move {
            let _place = place;
            let AdmittedMessage { incoming, route } = admitted;
            let method = incoming.method.clone();
            let handled = AssertUnwindSafe(async move {
                match lane {
                    Some(lane) => tower::ServiceExt::oneshot(lane, incoming).await,
                    None => Ok(Reply::ok(RawJson::empty_object())),
                }
            });
            let result = futures_util::FutureExt::catch_unwind(handled).await;
            let result = result.unwrap_or_else(|panic| Ok(edge::panicked(&*panic, &method)));
            edge::answer(&shared, &id, &route, &cancel, result).await;
        });
    }

    fn incoming(
        &self,
        id: Option<RequestId>,
        method: Method,
        params: RawParams,
        route: Route,
        cancel: CancelToken,
        mut ext: Extensions,
    ) -> AdmittedMessage {
        ext.insert(CallContext { peer: Peer::new(self.shared.clone(), route.clone()), cancel });
        AdmittedMessage { incoming: Incoming { id, method, params, ext }, route }
    }

    fn overloaded(&self, id: &RequestId, route: &Route, params: &RawParams, what: &str) {
        let error = ErrorCode::ResourceExhausted.error(format!("overloaded: too many {what}"));
        self.respond_now(Some(id), route, Some(params), error);
    }

    fn respond_now(
        &self,
        id: Option<&RequestId>,
        route: &Route,
        params: Option<&RawParams>,
        error: ErrorObject,
    ) {
        let error = match self.shared.session.get::<RefusalHook>() {
            Some(RefusalHook(add)) => add(error, params),
            None => error,
        };
        let error = if self.shared.session.has::<mgp_types::negotiation::Negotiation>() {
            error
        } else {
            error.to_plain_mcp()
        };
        let outcome = Err(error);
        let body = Body::Response { id, outcome: &outcome };
        // A closed connection needs no answer.
        let _ = self.shared.outbound.try_send(&Outgoing { route, body, urgent: true });
    }
}

fn subscription_of(params: &RawParams) -> Option<i64> {
    params.get().filter(|params| params.may_hold(SUBSCRIPTION_ID_KEY))?;
    let meta = params.object().ok()?.object("_meta")?;
    RequestId::from_json(meta.get(SUBSCRIPTION_ID_KEY)?).ok()?.number()
}

fn id_of(params: &RawParams, key: &str) -> Option<RequestId> {
    RequestId::from_json(params.object().ok()?.get(key)?).ok()
}

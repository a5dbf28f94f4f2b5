//! The service that runs each call that may be parked on its own connection.

use super::{
    address::Address,
    call::{Outcome, ParkedCall},
    request::Request,
    running::RunningCall,
    table::Table,
};
use crate::ground::round_host::RoundHost;
use futures_core::future::BoxFuture;
use futures_util::future::Either;
use mgp_transport::{
    connection::Connection,
    seam::{BoxError, CancelCause, CancelToken, Incoming, Peer, PeerService, ReplicaName, Reply, Session},
};
use mgp_types::{
    json::RawJson,
    mcp::{InputResponses, asks_for_input},
    rpc::ErrorObject,
};
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// The service that runs each call that may be answered with a round of input on its own connection. See
/// [`ParkingLayer`](super::ParkingLayer).
#[derive(Debug, Clone)]
pub(crate) struct Parking<S> {
    pub(super) inner: S,
    pub(super) table: Arc<Table>,
}

impl<S: PeerService> Parking<S> {
    /// Starts a call, or resumes the one that the host names.
    fn enter(&self, mut incoming: Incoming) -> Result<(Arc<ParkedCall>, RunningCall, Request), ErrorObject> {
        let params = incoming.params.object()?;
        let (brought, request) = (InputResponses::read(params)?, Request::of(&incoming, params));
        let host = incoming.peer().cloned();
        if let Some(state) = &brought.state {
            let call = self.table.take(state, &request)?;
            call.attach(host, Address::of(&incoming, params), &brought.answers);
            return Ok((call, RunningCall::elsewhere(), request));
        }
        let call = ParkedCall::new(host, brought.answers);
        let mut params = std::mem::take(&mut incoming.params).into_object()?;
        InputResponses::strip(&mut params);
        incoming.params = params.into();
        let session = incoming.session().map_or_else(|| Session::new("parked"), Session::derived);
        session.set::<Arc<dyn RoundHost>>(call.clone());
        let id = incoming.id.clone();
        let connection = Connection::builder(self.inner.clone()).session(session);
        let (inner, answering) = connection.begin_one(incoming, call.clone());
        call.started(inner, id);
        Ok((call, RunningCall::new(answering), request))
    }
}

/// Answers one request of the host.
async fn answer(
    table: Arc<Table>,
    (call, mut running): (Arc<ParkedCall>, RunningCall),
    (request, host, replica): (Request, Option<Peer>, Option<ReplicaName>),
    cancel: CancelToken,
) -> Reply {
    let draining = async {
        match &host {
            Some(host) => host.draining().await,
            None => std::future::pending().await,
        }
    };
    tokio::pin!(draining);
    let (mut is_draining, mut is_cancelled) = (false, false);
    let outcome = loop {
        tokio::select! {
            biased;
            () = &mut running => {}
            // A cancelled call no longer waits for answers, and its partial result follows.
            outcome = call.outcome(is_cancelled) => break outcome,
            () = cancel.cancelled(), if !is_cancelled => {
                is_cancelled = cancel.cause() == Some(CancelCause::Method) && call.cancel_by_method();
                if !is_cancelled {
                    call.cancel();
                    return Reply::cancelled(RawJson::empty_object());
                }
            }
            () = &mut draining, if !is_draining => {
                is_draining = true;
                call.drain();
            }
        }
    };
    match outcome {
        Outcome::Answer(Some(Ok(result))) if is_cancelled => Reply::cancelled(result),
        Outcome::Answer(Some(outcome)) => Reply::from(outcome),
        Outcome::Answer(None) => Reply::error(ErrorObject::internal("the call was cancelled")),
        Outcome::Round(mut required) => match table.park(request, call.clone(), replica.as_ref()) {
            Ok(state) => {
                required.state = Some(state);
                Reply::ok(required.to_json())
            }
            Err(error) => {
                call.cancel();
                Reply::error(error)
            }
        },
    }
}

impl<S: PeerService> Service<Incoming> for Parking<S> {
    type Response = Reply;
    type Error = BoxError;
    type Future = Either<
        futures_util::future::MapErr<S::Future, fn(S::Error) -> BoxError>,
        BoxFuture<'static, Result<Reply, BoxError>>,
    >;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx).map_err(Into::into)
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        let parks = !incoming.is_notification()
            && asks_for_input(&incoming.method)
            && incoming.session().is_some_and(Session::is_of_one_request);
        if !parks {
            let into: fn(S::Error) -> BoxError = Into::into;
            return Either::Left(futures_util::TryFutureExt::map_err(self.inner.call(incoming), into));
        }
        let cancel = incoming.cancel_token().cloned().unwrap_or_default();
        let (table, host) = (self.table.clone(), incoming.peer().cloned());
        let replica = incoming.session().and_then(Session::get::<ReplicaName>);
        let entered = self.enter(incoming);
        Either::Right(Box::pin(async move {
            Ok(match entered {
                Ok((call, running, request)) => {
                    answer(table, (call, running), (request, host, replica), cancel).await
                }
                Err(error) => Reply::error(error),
            })
        }))
    }
}

//! The service that gives each request of a stateless revision its own session.

use super::{
    client::{Client, LastClient},
    finish::Finish,
    layer::{ClientDescription, Introduction},
};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_lifecycle::handshake::{HandshakePhase, HandshakeProgress};
use mgp_transport::{
    connection::error_at_edge,
    seam::{BoxError, Incoming, Reply, ResponseFuture, Session},
};
use mgp_types::{
    mcp::{
        Discover, DiscoverResult, add_extensions,
        stateless::{EnvelopeMembers, RequestEnvelope, is_removed},
    },
    negotiation::Answer,
    rpc::{Call, ErrorObject},
};
use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// The service that gives each request of a stateless revision its own session. See [`ErasLayer`](super::ErasLayer).
#[derive(Debug, Clone)]
pub struct Eras<S> {
    pub(super) inner: S,
    pub(super) says: Arc<Introduction>,
}

/// The way in which a request is handled.
enum RequestPath {
    /// The request goes to the inner service, and its answer is finished here. The answer to a request of a revision with
    /// `initialize`, and a notification, are not changed.
    Goes(Option<Finish>),
    /// The request is answered here.
    Answered(Reply),
    /// The request is answered here, once the server is described to its client.
    Greets(BoxFuture<'static, Reply>),
}

impl<S> Eras<S> {
    fn enter(&self, incoming: &mut Incoming) -> RequestPath {
        let client = match self.client(incoming) {
            Ok(Some(client)) => client,
            Ok(None) => return RequestPath::Goes(None),
            Err(error) => return RequestPath::Answered(Reply::exact_error(error)),
        };
        if is_removed(&incoming.method) {
            return RequestPath::Answered(Reply::exact_error(ErrorObject::method_not_found(
                &incoming.method,
            )));
        }
        let finish = Finish::new(&self.says, &incoming.method, client.agreed.is_some());
        if incoming.method == *Discover::METHOD {
            let mut result = self.discover(client.agreed.as_ref());
            let Some(of_client) = &self.says.of_client else {
                return RequestPath::Answered(finish.finish(Reply::from_value(&result)));
            };
            let session = incoming.session().map(|session| session.of_one_request(client.said.clone()));
            let description = of_client.0(session);
            return RequestPath::Greets(Box::pin(async move {
                let ClientDescription { instructions, extensions } = description.await;
                result.instructions = instructions;
                add_extensions(&mut result.capabilities.0, &extensions);
                finish.finish(Reply::from_value(&result))
            }));
        }
        if let Some(session) = incoming.session() {
            let session = session.of_one_request(client.said.clone());
            incoming.set_session(session);
        }
        RequestPath::Goes(Some(finish))
    }

    /// Returns the client of a request, or `None` if the request is of an earlier revision.
    fn client(&self, incoming: &mut Incoming) -> Result<Option<Arc<Client>>, ErrorObject> {
        if incoming.is_notification() {
            return Ok(None);
        }
        let profile = &self.says.handshake.profile;
        // A transport that requires the description on each request has already parsed it.
        if let Some(envelope) = incoming.ext.remove::<RequestEnvelope>() {
            return Ok(Some(Arc::new(Client::of(envelope, profile))));
        }
        let Ok(params) = incoming.params.object() else { return Ok(None) };
        let session = incoming.session();
        if let Some(client) = session.and_then(|session| LastClient::repeated(session, params)) {
            return check_era(session).map(|()| Some(client));
        }
        let Some(members) = EnvelopeMembers::of(params) else { return Ok(None) };
        check_era(session)?;
        match session {
            Some(session) => LastClient::of(session, (params, &members), profile).map(Some),
            None => Ok(Some(Arc::new(Client::of(members.read()?, profile)))),
        }
    }

    fn discover(&self, agreed: Option<&Answer>) -> DiscoverResult {
        let handshake = &self.says.handshake;
        let mut capabilities = handshake.capabilities.clone().with_tasks_as_extension();
        if let Some(answer) = agreed {
            answer.put(&mut capabilities.0);
        }
        let mut result = DiscoverResult::new(capabilities);
        result.instructions.clone_from(&handshake.instructions);
        result
    }
}

/// Refuses a request of a stateless revision on a connection that was opened with `initialize`.
fn check_era(session: Option<&Session>) -> Result<(), ErrorObject> {
    let phase = session.and_then(|session| session.read(HandshakeProgress::phase));
    if phase.is_some_and(|phase| phase != HandshakePhase::NotStarted) {
        let problem =
            "the connection was opened with initialize: its requests carry no revision of their own";
        return Err(ErrorObject::invalid_request(problem));
    }
    Ok(())
}

impl<S> Service<Incoming> for Eras<S>
where
    S: Service<Incoming, Response = Reply, Error: Into<BoxError>> + 'static,
{
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<FinishedFuture<S::Future>, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut incoming: Incoming) -> Self::Future {
        match self.enter(&mut incoming) {
            RequestPath::Goes(finish) => {
                ResponseFuture::passing(FinishedFuture { future: self.inner.call(incoming), finish })
            }
            RequestPath::Answered(reply) => ResponseFuture::answered(reply),
            RequestPath::Greets(greeting) => ResponseFuture::waiting(greeting.map(Ok)),
        }
    }
}

pin_project! {
    /// The future of a request whose answer [`Eras`] finishes, or leaves unchanged.
    #[derive(Debug)]
    pub struct FinishedFuture<F> {
        #[pin]
        future: F,
        // `None` for a request of a revision with `initialize`, and for a notification.
        finish: Option<Finish>,
    }
}

impl<F, E> Future for FinishedFuture<F>
where
    F: Future<Output = Result<Reply, E>>,
    E: Into<BoxError>,
{
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let result = ready!(this.future.poll(cx));
        let Some(finish) = this.finish else { return Poll::Ready(result) };
        let reply = result.unwrap_or_else(|error| Reply::error(error_at_edge(&error.into())));
        Poll::Ready(Ok(finish.finish(reply)))
    }
}

//! Accepts TCP connections, and serves HTTP on each.

use super::{
    bounded_stream::BoundedStream,
    length_watch::{LengthWatch, WatchedStream},
    polled_again::PolledAgain,
};
use crate::{
    http::server::{
        auth::{Gate, two_lengths},
        limits::{ConnectionPlace, Connections, End, RequestGuard},
    },
    seam::LogLimit,
};
use axum::{Router, body::Body, response::IntoResponse};
use hyper::{
    body::{Body as HttpBody, Frame, Incoming, SizeHint},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use pin_project_lite::pin_project;
use std::{
    convert::Infallible,
    io,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpListener,
    sync::oneshot,
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;
use tower_service::Service;

/// The size of a connection's read buffer, in bytes, which is also the longest head of a request.
const READ_BUFFER: usize = 64 * 1024;

/// The pause after a connection could not be accepted, for example for lack of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The routes that are served on each connection, and the bounds of connections.
pub(in crate::http::server) struct ServedRouter {
    pub(in crate::http::server) router: Router,
    pub(in crate::http::server) connections: Arc<Connections>,
    /// The gate whose observer is notified of requests with two lengths. They are refused at every path.
    pub(in crate::http::server) gate: Option<Arc<Gate>>,
    /// The only IP addresses from which connections are accepted; `None` for all.
    pub(in crate::http::server) peers: Option<Vec<IpAddr>>,
}

/// Accepts connections until `stop`, and returns when the last connection has ended. Dropping the future ends all connections at once.
pub(in crate::http::server) async fn accept(
    listener: TcpListener,
    served: ServedRouter,
    write_timeout: Duration,
    stop: CancellationToken,
) {
    let (mut tasks, failures, strangers) = (JoinSet::new(), LogLimit::default(), LogLimit::default());
    let ServedRouter { router, connections, gate, peers } = served;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = tasks.join_next() => continue,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((_, from))
                if peers.as_ref().is_some_and(|peers| !peers.contains(&from.ip().to_canonical())) =>
            {
                if let Some(left_out) = strangers.admit() {
                    tracing::warn!(%from, left_out, "a connection from another address than the proxy's was closed");
                }
            }
            Ok((stream, _)) => {
                // Messages are small, and the other side waits for each.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "failed to set TCP_NODELAY");
                }
                let stream = Box::pin(BoundedStream::new(stream, write_timeout));
                let (place, end) = connections.admit();
                tasks.spawn(PolledAgain::new(serve(stream, (router.clone(), gate.clone()), place, end)));
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                if let Some(left_out) = failures.admit() {
                    tracing::error!(%error, left_out, "failed to accept a connection");
                }
                connections.end_unauthenticated();
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    connections.end_all();
    while tasks.join_next().await.is_some() {}
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Serves one connection to its end.
pub(in crate::http::server) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    (router, gate): (Router, Option<Arc<Gate>>),
    place: Arc<ConnectionPlace>,
    mut end: oneshot::Receiver<End>,
) {
    let watch = LengthWatch::default();
    let stream = WatchedStream::new(stream, watch.clone());
    let service = service_fn(|request: http::Request<Incoming>| {
        let guard = place.begin();
        let mut request = request.map(Body::new);
        let served = if watch.has_two_lengths(request.headers()) {
            let refused = two_lengths().into_response();
            Err(match &gate {
                Some(gate) => gate.observed(refused, None),
                None => refused,
            })
        } else {
            request.extensions_mut().insert(place.clone());
            Ok(router.clone().call(request))
        };
        async move {
            let response = match served {
                Ok(response) => response.await?,
                Err(refused) => refused,
            };
            Ok::<_, Infallible>(response.map(|body| GuardedBody { body, _guard: guard }))
        }
    });
    let connection =
        http1::Builder::new().max_buf_size(READ_BUFFER).serve_connection(TokioIo::new(stream), service);
    let overdue = place.overdue();
    tokio::pin!(connection, overdue);
    let mut is_ending = false;
    loop {
        tokio::select! {
            biased;
            served = connection.as_mut() => {
                if let Err(error) = served {
                    tracing::debug!(%error, "a connection failed");
                }
                return;
            }
            ended = &mut end, if !is_ending => {
                if ended == Ok(End::Now) {
                    return tracing::debug!("an unauthenticated connection made room for another one");
                }
                is_ending = true;
                connection.as_mut().graceful_shutdown();
            }
            () = &mut overdue => return tracing::debug!("the head of a request did not arrive in time"),
        }
    }
}

pin_project! {
    /// A response's body. The request counts as in flight until the body is dropped.
    struct GuardedBody {
        #[pin]
        body: Body,
        _guard: RequestGuard,
    }
}

impl HttpBody for GuardedBody {
    type Data = <Body as HttpBody>::Data;
    type Error = <Body as HttpBody>::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        self.project().body.poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

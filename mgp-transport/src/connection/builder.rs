//! Puts a connection together and starts it.

use super::{
    Config, ConnectionError, ConnectionState, EndOfInput, Inbox, Outbound, Route, Unreadable, WaitPrediction,
    dispatch::{self, dispatch},
    stream::ByteSink,
};
use crate::{
    codec::LineReader,
    seam::{CallContext, Incoming, Peer, PeerConnection, PeerService, Session, boxed},
};
use futures_core::future::BoxFuture;
use futures_util::FutureExt;
use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{Semaphore, mpsc},
    task::JoinHandle,
};

/// A running connection. Dropping it ends the connection.
#[derive(Debug)]
pub struct Connection {
    peer: Peer,
    driver: Option<JoinHandle<()>>,
}

/// A builder of a [`Connection`]. Start with [`Connection::builder`].
#[derive(Debug, Clone)]
pub struct Builder<S> {
    service: S,
    lane: Option<crate::seam::BoxPeerService>,
    session: Option<Session>,
    config: Config,
    prediction: WaitPrediction,
}

impl Connection {
    /// Returns a builder of a connection whose messages `service` handles.
    pub fn builder<S: PeerService>(service: S) -> Builder<S> {
        let (config, prediction) = Default::default();
        Builder { service, lane: None, session: None, config, prediction }
    }

    /// Returns the handle on the other side.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Waits until the connection is gone and its last answer is written. Returns the reason for its end.
    pub async fn closed(mut self) -> ConnectionError {
        if let Some(driver) = self.driver.take() {
            // A driver that panicked has closed nothing; the drop below does.
            let _ = driver.await;
        }
        self.peer.error()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.peer.close();
    }
}

impl<S: PeerService> Builder<S> {
    /// Sets the service for the methods of [`Lane::Priority`](mgp_types::rpc::Lane), which others wait for. Calls to it run
    /// concurrently with everything else, and no limit around the main service delays them. Without this service, only `ping` is
    /// answered on the lane.
    #[must_use]
    pub fn lane(mut self, lane: impl PeerService) -> Self {
        self.lane = Some(boxed(lane));
        self
    }

    /// Sets the session. By default, the connection gets a new one.
    #[must_use]
    pub fn session(mut self, session: Session) -> Self {
        self.session = Some(session);
        self
    }

    /// Puts a value into the session, before the first message is read.
    #[must_use]
    pub fn session_value<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.session.get_or_insert_with(new_session).set(value);
        self
    }

    /// Sets the bounds.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Shares a prediction with other connections of the service, so that the first request of each is handled like the others.
    #[must_use]
    pub fn wait_prediction(mut self, prediction: WaitPrediction) -> Self {
        self.prediction = prediction;
        self
    }

    /// Returns the bounds.
    #[cfg(feature = "http-client")]
    pub(crate) fn bounds(&self) -> &Config {
        &self.config
    }

    /// Sets the treatment of lines that are not messages.
    #[must_use]
    pub fn unreadable(mut self, unreadable: Unreadable) -> Self {
        self.config.unreadable = unreadable;
        self
    }

    /// Starts the connection over a pair of byte streams, with one message per line.
    pub fn over(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + 'static,
    ) -> Connection {
        let sink = ByteSink::new(output, self.config.write_buffer);
        let (inbox, peer) = self.start(sink.clone());
        let shared = inbox.shared.clone();
        let writer = tokio::spawn({
            let shared = shared.clone();
            async move {
                if let Err(error) = sink.drive(shared.config.write_timeout).await {
                    shared.close(error);
                }
            }
        });
        let driver = tokio::spawn(async move {
            let mut end = tokio::select! {
                end = read(&inbox, input) => Some(end),
                () = shared.closed() => None,
            };
            // Nothing more is admitted from here on.
            drop(inbox);
            if let (Some(ConnectionError::Closed), EndOfInput::Drain(limit)) =
                (&end, shared.config.end_of_input)
            {
                shared.drain();
                let idle = async {
                    tokio::select! {
                        () = shared.running.idle() => {}
                        () = shared.closed() => {}
                    }
                };
                if tokio::time::timeout(limit, idle).await.is_err() {
                    tracing::warn!(
                        ?limit,
                        "calls were still running when the time limit after the end of input passed"
                    );
                }
                let limit = shared.config.write_timeout;
                if tokio::time::timeout(limit, shared.outbound.flush()).await.is_err() {
                    end = Some(ConnectionError::WriteTimeout(limit));
                }
            }
            shared.close(end.unwrap_or(ConnectionError::Closed));
            // The writer ends once everything is written, or cannot be.
            let _ = writer.await;
        });
        Connection { peer, driver: Some(driver) }
    }

    /// Starts the connection over any transport: outgoing messages go to `outbound`, and the transport hands
    /// incoming ones to the [`Inbox`].
    pub fn start(self, outbound: Arc<dyn Outbound>) -> (Inbox, Peer) {
        let session = self.session.unwrap_or_else(new_session);
        let (admit, admitted) = mpsc::channel(self.config.backlog.max(1));
        let shared = Arc::new(ConnectionState::new(outbound, self.config, session));
        let dispatching = dispatch(self.service, admitted, shared.clone(), self.prediction);
        let dispatching = AssertUnwindSafe(dispatching).catch_unwind();
        let ends_with_it = shared.clone();
        tokio::spawn(async move {
            // A panic outside every handler's own guard, for example in a drop, must not leave the other side without answers.
            if dispatching.await.is_err() {
                ends_with_it.close(ConnectionError::Transport("the service panicked".into()));
            }
        });
        let peer = Peer::new(shared.clone(), Route::Session);
        let places = shared.config.lane.min(Semaphore::MAX_PERMITS);
        (Inbox { shared, admit, lane: self.lane, lane_places: Arc::new(Semaphore::new(places)) }, peer)
    }
}

impl<S: PeerService> Builder<S> {
    /// Answers one request on a separate connection that carries nothing else. Stateless revisions of MCP are served like this
    /// over HTTP. The answer, and the messages before it, go to `outbound`. Closing the peer cancels the request. A notification
    /// is ignored.
    ///
    /// The transport passes context of the request in `incoming.ext`. Must be called within a tokio runtime.
    pub fn answer_one(self, incoming: Incoming, outbound: Arc<dyn Outbound>) -> Peer {
        let prediction = self.prediction.clone();
        let (peer, answering) = self.begin_one(incoming, outbound);
        dispatch::run(answering, &prediction);
        peer
    }

    /// Returns the peer of [`answer_one`](Self::answer_one), and the future that answers the request: nothing happens before it is polled.
    pub fn begin_one(
        self,
        mut incoming: Incoming,
        outbound: Arc<dyn Outbound>,
    ) -> (Peer, BoxFuture<'static, ()>) {
        let session = self.session.unwrap_or_else(new_session);
        let shared = Arc::new(ConnectionState::new(outbound, self.config, session));
        let Some(id) = incoming.id.clone() else {
            return (Peer::new(shared, Route::Session), Box::pin(std::future::ready(())));
        };
        let route = Route::Request(id.clone());
        let peer = Peer::new(shared.clone(), route.clone());
        // This is the only request, so there is room.
        let Ok(cancel) = shared.running.admit(id.clone(), incoming.params.len(), 0) else {
            return (peer, Box::pin(std::future::ready(())));
        };
        incoming.ext.insert(CallContext { peer: peer.clone(), cancel });
        (peer, Box::pin(dispatch::dispatch_one(self.service, incoming, id, route, shared)))
    }
}

fn new_session() -> Session {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Session::new(&format!("connection-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// The number of frames that are read before other tasks have their turn.
const TURN: u64 = 64;

/// Reads until the input ends. A frame that cannot be read is refused, and reading continues.
async fn read(inbox: &Inbox, input: impl AsyncRead + Unpin) -> ConnectionError {
    let long = inbox.shared.outbound.long_texts().cloned();
    let mut lines = LineReader::new(input, inbox.shared.config.max_frame).with_long_texts(long);
    for frame in 1_u64.. {
        // A burst must not fill a caller's queue before the caller has had a chance to read.
        if frame.is_multiple_of(TURN) {
            tokio::task::yield_now().await;
        }
        match lines.next().await {
            Ok(Some(Ok(line))) => match lines.take_texts() {
                None => inbox.receive_text(line, &Route::Session),
                Some(outlined) => inbox.receive_outlined(&line, outlined),
            },
            Ok(Some(Err(error))) => inbox.refuse(error, &Route::Session),
            Ok(None) => return ConnectionError::Closed,
            Err(error) => return ConnectionError::Read(Arc::new(error)),
        }
    }
    ConnectionError::Closed
}

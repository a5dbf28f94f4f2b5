//! The session's own stream, which carries the messages that belong to no request.

use super::{
    answer::{Answer, read_stream},
    body::peek,
    failure::may_pass,
    link::Link,
    lost_session::SessionLoss,
    pace::Pace,
    session,
};
use crate::{
    connection::Inbox,
    http::header::{SSE, content_type, is_media_type},
};
use http::StatusCode;
use reqwest::Response;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Keeps the session's stream open while the connection lives; each new session gets its stream. `answered` is dropped with the
/// first answer to the attempt to open it.
pub(super) async fn listen(link: Arc<Link>, inbox: Arc<Inbox>, answered: oneshot::Sender<()>) {
    let mut listener = Listener { link, inbox, answered: Some(answered), last_id: None, was_open: false };
    loop {
        listener.link.settled().await;
        let epoch = listener.link.epoch();
        let link = listener.link.clone();
        // Event ids belong to one session.
        (listener.last_id, listener.was_open) = (None, false);
        tokio::select! {
            biased;
            () = link.until_renewed(epoch) => {}
            // The server may offer a stream in the next session.
            () = listener.of_session(epoch) => link.until_renewed(epoch).await,
        }
    }
}

/// The task that opens the stream of one session after the other.
struct Listener {
    link: Arc<Link>,
    inbox: Arc<Inbox>,
    answered: Option<oneshot::Sender<()>>,
    last_id: Option<String>,
    /// True if the stream of this session has been open.
    was_open: bool,
}

/// The result of an attempt to open the stream.
enum Attempt {
    /// The stream is to be retried later.
    Again,
    /// The stream is to be retried now.
    AtOnce,
    /// The server refuses the stream, but may offer it much later.
    Refused,
    /// This session has no own stream, or is gone.
    Never,
}

impl Listener {
    /// Keeps the stream of one session open. Returns if the session has none, or is gone.
    async fn of_session(&mut self, epoch: u64) {
        let mut pace = Pace::default();
        loop {
            let got = self.link.get(self.last_id.as_deref()).await;
            drop(self.answered.take());
            let attempt = match got {
                Ok(response) if response.status() == StatusCode::OK => self.read(response, &mut pace).await,
                Ok(response) => self.refused(response, epoch, &mut pace).await,
                Err(error) => {
                    tracing::debug!(error = %error.without_url(), "failed to open the server's own stream");
                    pace.failed();
                    Attempt::Again
                }
            };
            let config = &self.link.config;
            let wait = match attempt {
                Attempt::AtOnce => continue,
                Attempt::Never => return,
                Attempt::Again if !pace.is_given_up(config) => pace.delay(config),
                Attempt::Again => {
                    tracing::warn!(again_in = ?config.given_up_delay, "gave up on the server's own stream for now");
                    config.given_up_delay
                }
                Attempt::Refused => config.given_up_delay,
            };
            tokio::time::sleep(wait).await;
        }
    }

    /// Reads the stream to its end.
    async fn read(&mut self, response: Response, pace: &mut Pace) -> Attempt {
        let content_type = content_type(response.headers());
        if !is_media_type(content_type, SSE) {
            tracing::warn!(?content_type, "the server's own stream is not an event stream");
            return Attempt::Refused;
        }
        self.was_open = true;
        let mut answer = Answer::of(&self.link, &self.inbox, None, false, false);
        let end = read_stream(response, &mut answer).await;
        if let Some(error) = &end.error {
            tracing::debug!(%error, "the server's own stream broke");
        }
        pace.read(&end, &self.link.config);
        self.last_id = end.last_id.or(self.last_id.take());
        Attempt::Again
    }

    async fn refused(&mut self, response: Response, epoch: u64, pace: &mut Pace) -> Attempt {
        let status = response.status();
        if matches!(status, StatusCode::BAD_REQUEST | StatusCode::GONE) && self.last_id.take().is_some() {
            // The server can no longer resume after that event, so the stream starts anew.
            tracing::warn!("messages outside of calls may be lost: the server no longer has them");
            return Attempt::AtOnce;
        }
        // If an open stream is suddenly unknown, its session may be forgotten.
        if self.was_open && self.link.has_session() && self.renews(response, epoch).await {
            return Attempt::Never;
        }
        match status {
            StatusCode::METHOD_NOT_ALLOWED => {
                tracing::debug!("the server does not offer its own stream");
                Attempt::Never
            }
            status if status == StatusCode::CONFLICT || status.is_server_error() || may_pass(status) => {
                pace.failed();
                Attempt::Again
            }
            status => {
                tracing::warn!(status = status.as_u16(), "the server refuses its own stream");
                Attempt::Refused
            }
        }
    }
}

impl Listener {
    /// Reopens the session if the refusal of its stream means that the session is gone. Returns whether that was tried, and the
    /// stream of this session needs no other attempt.
    async fn renews(&self, response: Response, epoch: u64) -> bool {
        let (response, body) = peek(response).await;
        let Some(loss) = SessionLoss::of(response.status(), response.headers(), &body) else { return false };
        if loss == SessionLoss::Suspected && !self.link.may_be_lost(epoch) {
            return false;
        }
        match session::renew(&self.link, &self.inbox, epoch, loss).await {
            Err(why) if loss == SessionLoss::Certain => {
                session::close(&self.link, &self.inbox, &why);
                true
            }
            renewed => renewed == Ok(true),
        }
    }
}

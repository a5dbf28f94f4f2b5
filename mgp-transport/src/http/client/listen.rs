//! The session's own stream, which carries what belongs to no request.

use super::{
    HttpClientConfig,
    answer::{Answer, Resume, read_stream},
    link::Link,
    session,
};
use crate::{
    connection::Inbox,
    http::header::{SSE, is_media_type},
};
use http::{StatusCode, header::CONTENT_TYPE};
use std::{sync::Arc, time::Duration};
use tokio::sync::oneshot;

/// Keeps the session's stream open for as long as the server offers it. `answered` is dropped with the first answer to that.
pub(super) async fn listen(link: Arc<Link>, inbox: Arc<Inbox>, answered: oneshot::Sender<()>) {
    let mut answered = Some(answered);
    let (mut failures, mut resume, mut was_open) = (0, Resume::default(), false);
    let mut epoch = link.epoch();
    loop {
        let now = link.epoch();
        if now != epoch {
            // Its events are those of a session that is gone.
            (epoch, resume.last_id) = (now, None);
        }
        let got = link.get(resume.last_id.as_deref()).await;
        drop(answered.take());
        match got {
            Ok(response) if response.status() == StatusCode::OK => {
                let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
                if !content_type.is_some_and(|content_type| is_media_type(content_type, SSE)) {
                    return tracing::warn!(?content_type, "the server's own stream is no event stream");
                }
                let mut answer = Answer::of(&link, &inbox, None, false, false);
                let end = tokio::select! {
                    end = read_stream(response, &mut answer) => end,
                    () = link.until_renewed(epoch) => continue,
                };
                if let Some(error) = end.error {
                    tracing::debug!(%error, "the server's own stream broke");
                }
                (failures, was_open) = (0, true);
                resume.last_id = end.last_id.or(resume.last_id);
                resume.retry = end.retry.or(resume.retry);
            }
            Ok(response) => {
                let status = response.status();
                match status {
                    StatusCode::METHOD_NOT_ALLOWED => {
                        return tracing::debug!("the server offers no stream of its own");
                    }
                    StatusCode::NOT_FOUND if was_open && link.has_session() => {
                        // One that was there and is not known any more tells of the session.
                        if session::renew(&link, &inbox, epoch).await.is_err() {
                            return;
                        }
                        was_open = false;
                        continue;
                    }
                    // The server no longer knows where to go on: from here, then.
                    StatusCode::BAD_REQUEST | StatusCode::GONE if resume.last_id.take().is_some() => {
                        tracing::warn!("messages beside calls may be lost: the server no longer has them");
                        continue;
                    }
                    StatusCode::CONFLICT => {}
                    status if status.is_server_error() || may_pass(status) => {}
                    status => {
                        return tracing::warn!(status = status.as_u16(), "the server refuses its own stream");
                    }
                }
                failures += 1;
            }
            Err(error) => {
                tracing::debug!(error = %error.without_url(), "failed to open the server's own stream");
                failures += 1;
            }
        }
        if failures > link.config.reconnects {
            return tracing::warn!(failures, "gave up on the server's own stream");
        }
        tokio::time::sleep(reconnect_delay(&link.config, resume.retry, failures)).await;
    }
}

/// Whether what a status of the 4xx says may be otherwise a moment later.
pub(super) fn may_pass(status: StatusCode) -> bool {
    matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_EARLY | StatusCode::TOO_MANY_REQUESTS)
}

/// How long to wait before a stream is opened again.
pub(super) fn reconnect_delay(config: &HttpClientConfig, retry: Option<Duration>, failures: u32) -> Duration {
    let base = retry.unwrap_or(config.reconnect_delay);
    base.saturating_mul(2u32.saturating_pow(failures.min(16))).min(config.max_reconnect_delay)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_to_its_bound_and_the_server_can_ask_for_another() {
        let config = HttpClientConfig::default();
        let seconds = |retry, failures| reconnect_delay(&config, retry, failures).as_secs();
        assert_eq!([seconds(None, 0), seconds(None, 1), seconds(None, 3), seconds(None, 99)], [1, 2, 8, 30]);
        assert_eq!(seconds(Some(Duration::from_secs(5)), 0), 5);
        assert_eq!(seconds(Some(Duration::MAX), 0), 30);
    }
}

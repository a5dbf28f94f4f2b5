//! The session's own stream, which carries what belongs to no request.

use super::{
    HttpClientConfig,
    answer::{Answer, read_stream},
    link::Link,
};
use crate::{
    connection::Inbox,
    http::header::{SSE, is_media_type},
};
use http::{StatusCode, header::CONTENT_TYPE};
use std::{sync::Arc, time::Duration};

/// Keeps the session's stream open for as long as the server offers it.
pub(super) async fn listen(link: Arc<Link>, inbox: Arc<Inbox>) {
    let (mut failures, mut last_id, mut retry) = (0, None::<String>, None);
    loop {
        match link.get(last_id.as_deref()).await {
            Ok(response) if response.status() == StatusCode::OK => {
                let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
                if !content_type.is_some_and(|content_type| is_media_type(content_type, SSE)) {
                    return tracing::warn!(?content_type, "the server's own stream is no event stream");
                }
                let mut answer =
                    Answer { link: &link, inbox: &inbox, id: None, opens: false, answered: false };
                let end = read_stream(response, &mut answer).await;
                if let Some(error) = end.error {
                    tracing::debug!(%error, "the server's own stream broke");
                }
                failures = 0;
                last_id = end.last_id.or(last_id);
                retry = end.retry.or(retry);
            }
            Ok(response) => {
                let status = response.status();
                let may_pass = status.is_server_error()
                    || matches!(status, StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS);
                if status == StatusCode::METHOD_NOT_ALLOWED {
                    return tracing::debug!("the server offers no stream of its own");
                }
                if !may_pass {
                    return tracing::warn!(status = status.as_u16(), "the server refuses its own stream");
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
        tokio::time::sleep(reconnect_delay(&link.config, retry, failures)).await;
    }
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

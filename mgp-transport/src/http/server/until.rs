//! Streams that end with the token that opened them.

use axum::{body::Body, response::Response};
use futures_util::StreamExt;
use std::time::SystemTime;

/// Ends a response's body when a token expires: a stream may be open for days, and its client comes back with a new token.
pub(super) fn expiry(response: Response, expires: SystemTime) -> Response {
    let rest = expires.duration_since(SystemTime::now()).unwrap_or_default();
    response.map(|body| {
        let over = Box::pin(tokio::time::sleep(rest));
        Body::from_stream(body.into_data_stream().take_until(over))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;
    use futures_util::stream;
    use http_body_util::BodyExt;
    use std::{convert::Infallible, time::Duration};

    #[tokio::test(start_paused = true)]
    async fn a_stream_without_an_end_ends_with_its_token() {
        let first = stream::once(async { Ok::<_, Infallible>("one") });
        let response = Body::from_stream(first.chain(stream::pending())).into_response();
        let response = expiry(response, SystemTime::now() + Duration::from_secs(3600));
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "one");
    }
}

//! Streams that end when the credentials that opened them do.

use crate::seam::TokenGrant;
use axum::{body::Body, response::Response};
use futures_util::{
    StreamExt,
    future::{pending, select},
};
use std::{
    pin::pin,
    time::{Duration, SystemTime},
};

/// The interval between checks whether a key was revoked.
const RECHECK: Duration = Duration::from_secs(1);

/// Ends a response's body when the credentials of its request expire, or when its API key is revoked. A stream may be open for
/// days, and its client reconnects with new credentials.
pub(in crate::http::server) fn valid(response: Response, granted: TokenGrant) -> Response {
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(Box::pin(end_of(granted)))))
}

async fn end_of(granted: TokenGrant) {
    let who = granted.who();
    let expiry = async {
        match who.expires.map(|expires| expires.duration_since(SystemTime::now())) {
            Some(rest) => tokio::time::sleep(rest.unwrap_or_default()).await,
            None => pending().await,
        }
    };
    let revocation = async {
        if who.key.is_none() {
            return pending().await;
        }
        while granted.check_again().is_ok() {
            tokio::time::sleep(RECHECK).await;
        }
    };
    select(pin!(expiry), pin!(revocation)).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seam::{Authenticate, Authentication, CredentialError, ResourceMetadata};
    use async_trait::async_trait;
    use axum::response::IntoResponse;
    use futures_util::stream;
    use http::HeaderMap;
    use http_body_util::BodyExt;
    use mgp_types::context::Principal;
    use std::{
        convert::Infallible,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
    };

    /// Credentials that are valid so many times.
    #[derive(Debug)]
    struct Times(AtomicUsize);

    #[async_trait]
    impl Authenticate for Times {
        async fn authenticate(&self, _: &HeaderMap, _: &str) -> Result<Authentication, CredentialError> {
            Err(CredentialError::missing())
        }

        fn check_again(&self, _: &Authentication) -> Result<(), CredentialError> {
            let left = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            left.map(drop).map_err(|_| CredentialError::invalid_token("revoked"))
        }

        fn metadata(&self) -> ResourceMetadata {
            ResourceMetadata::default()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_endless_stream_ends_with_its_token_or_revoked_key() {
        let in_an_hour = SystemTime::now() + Duration::from_secs(3600);
        for (expires, key, times) in
            [(Some(in_an_hour), None, 0), (Some(in_an_hour), Some("ci"), usize::MAX), (None, Some("ci"), 3)]
        {
            let first = stream::once(async { Ok::<_, Infallible>("one") });
            let response = Body::from_stream(first.chain(stream::pending())).into_response();
            let who = Authentication {
                expires,
                key: key.map(Arc::from),
                ..Authentication::new(Principal::agent("a"))
            };
            let granted = TokenGrant::new(who, Arc::new(Times(times.into())));
            let response = valid(response, granted);
            assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "one");
        }
    }
}

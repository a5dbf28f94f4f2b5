//! Rights that a client obtains at its server, which may involve a person.

use crate::call_clock::CallClock;
use async_trait::async_trait;
use http::{HeaderMap, Method};
use mgp_transport::http::client::{Authorize, AuthorizeError, Challenge};
use std::sync::Arc;
use url::Url;

/// A source of rights that pauses a clock while rights are obtained, so that a time limit for the server does not include
/// this time.
#[derive(Debug)]
pub(super) struct ClockedRights {
    pub(super) rights: Arc<dyn Authorize>,
    pub(super) clock: CallClock,
}

#[async_trait]
impl Authorize for ClockedRights {
    async fn headers(&self, method: &Method, endpoint: &Url) -> Result<HeaderMap, AuthorizeError> {
        let _stopped = self.clock.pause();
        self.rights.headers(method, endpoint).await
    }

    fn responded(&self, endpoint: &Url, headers: &HeaderMap) {
        self.rights.responded(endpoint, headers);
    }

    async fn challenged(&self, challenge: Challenge) -> Result<bool, AuthorizeError> {
        let _stopped = self.clock.pause();
        self.rights.challenged(challenge).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::StatusCode;
    use std::{future::pending, time::Duration};
    use tokio::time::sleep;

    const LIMIT: Duration = Duration::from_secs(5);

    /// A source of rights that takes its time.
    #[derive(Debug)]
    struct SlowRights;

    #[async_trait]
    impl Authorize for SlowRights {
        async fn headers(&self, _: &Method, _: &Url) -> Result<HeaderMap, AuthorizeError> {
            sleep(100 * LIMIT).await;
            Ok(HeaderMap::new())
        }

        async fn challenged(&self, _: Challenge) -> Result<bool, AuthorizeError> {
            sleep(100 * LIMIT).await;
            Ok(true)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_limit_counts_silence_but_not_questions_to_a_person() {
        let clock = CallClock::default();
        let rights = ClockedRights { rights: Arc::new(SlowRights), clock: clock.clone() };
        let url = Url::parse("http://127.0.0.1/mcp").unwrap();
        let challenge = Challenge::new(StatusCode::UNAUTHORIZED, url.clone(), &HeaderMap::new());
        let obtained = async {
            (rights.headers(&Method::POST, &url).await.unwrap(), rights.challenged(challenge).await.unwrap())
        };
        assert_eq!(clock.within(LIMIT, obtained).await, Some((HeaderMap::new(), true)));
        assert_eq!(clock.within(LIMIT, pending::<()>()).await, None);
    }
}

//! The address at which an agent listens for the redirect.

use super::UserAgentError;
use mgp_transport::http::redirect::RedirectListener;
use std::time::Duration;
use url::Url;

/// The time limit of a visit without another limit.
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// Waits for the answer to the authorization request `url`.
pub(super) async fn wait(listener: RedirectListener, url: &Url) -> Result<Url, UserAgentError> {
    let state = url.query_pairs().find(|(key, _)| key == "state");
    let state = state.map(|(_, state)| state.into_owned()).unwrap_or_default();
    listener.wait(&state, LIMIT).await.map_err(UserAgentError::Listen)
}

/// The address at which an agent listens for the redirect: a port of the loopback address, and a path.
///
/// ```
/// use mgp_client_sdk::auth::{BrowserAgent, Listen};
/// let agent = BrowserAgent::default().listen(Listen::default().port(8300).path("/oauth"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listen {
    port: Option<u16>,
    path: String,
}

impl Default for Listen {
    fn default() -> Self {
        Self { port: None, path: "/callback".to_owned() }
    }
}

impl Listen {
    /// Sets the port; by default, the previously registered one if it is free, or else any free port.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// Sets the path of the redirect URI; `/callback` by default.
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        self.path = path.to_owned();
        self
    }

    /// Starts to listen: at the port of the settings, or else at the previous port, or else at any free port.
    pub(super) async fn begin(&self, earlier: Option<&Url>) -> Result<RedirectListener, UserAgentError> {
        let bind =
            async |port| RedirectListener::bind(port, &self.path).await.map_err(UserAgentError::Listen);
        if let Some(port) = self.port {
            return bind(port).await;
        }
        if let Some(port) = earlier.and_then(Url::port)
            && let Ok(listener) = bind(port).await
        {
            return Ok(listener);
        }
        bind(0).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_registered_port_is_reused_if_it_is_free() {
        let listen = Listen::default();
        let first = listen.begin(None).await.unwrap();
        let uri = first.uri().clone();
        assert_ne!(listen.begin(Some(&uri)).await.unwrap().uri(), &uri, "the port is taken");
        drop(first);
        assert_eq!(listen.begin(Some(&uri)).await.unwrap().uri(), &uri);
    }
}

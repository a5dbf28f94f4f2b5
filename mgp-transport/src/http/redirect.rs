//! A listener on this machine for the browser that an authorization server redirects (RFC 8252 §7.3).

use axum::{
    Router,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing::get,
};
use http::{
    StatusCode,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY},
};
use parking_lot::Mutex;
use std::{io, net::Ipv4Addr, sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::oneshot};
use url::Url;

/// The time that the browser has to read the page after the redirect was received.
const GOODBYE: Duration = Duration::from_secs(1);
/// The longest query that is accepted, in bytes.
const MAX_QUERY: usize = 16 * 1024;
const DONE: &str = "<!doctype html><meta charset=utf-8><title>MGP</title><p>This window can be closed now.";
const NOT_EXPECTED: &str =
    "<!doctype html><meta charset=utf-8><title>MGP</title><p>This is not the answer that was waited for.";

/// A listener for one redirect, on a port of the loopback address.
#[derive(Debug)]
pub struct RedirectListener {
    listener: TcpListener,
    uri: Url,
}

#[derive(Debug)]
struct PendingRedirect {
    uri: Url,
    state: String,
    found: Mutex<Option<oneshot::Sender<Url>>>,
}

impl RedirectListener {
    /// Listens at `http://127.0.0.1:PORT/path`; port 0 selects any free port.
    ///
    /// # Errors
    /// Returns an error if the port is taken, or `path` is not the path of a URL.
    pub async fn bind(port: u16, path: &str) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let port = listener.local_addr()?.port();
        let uri = Url::parse(&format!("http://127.0.0.1:{port}"))
            .and_then(|base| base.join(path))
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let plain = path.starts_with('/') && uri.path() == path && !path.contains(['{', '}']);
        if !plain || uri.port() != Some(port) {
            let problem =
                format!("invalid path of a redirect: expected one such as /callback, found {path:?}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        Ok(Self { listener, uri })
    }

    /// Returns the URL to which the authorization server must send the browser.
    #[must_use]
    pub fn uri(&self) -> &Url {
        &self.uri
    }

    /// Waits for a redirect with this `state` and returns its whole URL. All other requests are refused and ignored, so that no page
    /// in the browser can end the wait.
    ///
    /// # Errors
    /// Returns `TimedOut` if no redirect came within `limit`, and another error if the listener failed.
    pub async fn wait(self, state: &str, limit: Duration) -> io::Result<Url> {
        let (found, redirect) = oneshot::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let path = self.uri.path().to_owned();
        let waiting = Arc::new(PendingRedirect {
            uri: self.uri,
            state: state.to_owned(),
            found: Mutex::new(Some(found)),
        });
        let router = Router::new().route(&path, get(take)).with_state(waiting);
        let server = axum::serve(self.listener, router).with_graceful_shutdown(async {
            // A dropped sender has the same effect.
            let _ = stopped.await;
        });
        let mut server = tokio::task::JoinSet::from_iter([server.into_future()]);
        let redirect = tokio::time::timeout(limit, redirect).await;
        drop(stop);
        // Browsers keep unused connections open.
        let _ = tokio::time::timeout(GOODBYE, server.join_next()).await;
        match redirect {
            Ok(Ok(url)) => Ok(url),
            Ok(Err(_)) => Err(io::Error::other("the listener for the redirect ended")),
            Err(_) => {
                Err(io::Error::new(io::ErrorKind::TimedOut, format!("no redirect came within {limit:?}")))
            }
        }
    }
}

async fn take(State(waiting): State<Arc<PendingRedirect>>, request: Request) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let mut states = url::form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == "state");
    let expected = states.next().is_some_and(|(_, state)| state == waiting.state) && query.len() <= MAX_QUERY;
    let sender = if expected { waiting.found.lock().take() } else { None };
    let Some(sender) = sender else { return page(StatusCode::BAD_REQUEST, NOT_EXPECTED) };
    let mut url = waiting.uri.clone();
    url.set_query(Some(query));
    // If the time limit has passed, the receiver is gone.
    let _ = sender.send(url);
    page(StatusCode::OK, DONE)
}

fn page(status: StatusCode, text: &'static str) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    ];
    (status, headers, text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// Returns the status line of the answer to a request.
    async fn visit(uri: &Url, target: &str) -> String {
        let address = (uri.host_str().unwrap(), uri.port().unwrap());
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let request = format!("{target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.lines().next().unwrap_or_default().to_owned()
    }

    #[tokio::test]
    async fn only_the_exact_path_with_the_state_ends_the_wait() {
        let listener = RedirectListener::bind(0, "/callback").await.unwrap();
        let uri = listener.uri().clone();
        let wait = tokio::spawn(listener.wait("s 1", Duration::from_secs(120)));
        for (target, status) in [
            ("GET /?state=s+1", "404"),
            ("GET /callback/?state=s+1", "404"),
            ("GET /callback", "400"),
            ("GET /callback?state=other&code=evil", "400"),
            ("GET /callback?state=other&state=s+1", "400"),
            ("POST /callback?state=s+1", "405"),
        ] {
            let line = visit(&uri, target).await;
            assert!(line.contains(status), "{target}: {line}");
        }
        assert!(!wait.is_finished());
        assert!(visit(&uri, "GET /callback?code=c&state=s%201").await.contains("200"));
        let found = wait.await.unwrap().unwrap();
        assert_eq!(found.as_str(), format!("{uri}?code=c&state=s%201"));
    }

    #[tokio::test]
    async fn a_wait_has_a_limit_and_frees_its_port() {
        let listener = RedirectListener::bind(0, "/callback").await.unwrap();
        let port = listener.uri().port().unwrap();
        let error = listener.wait("s", Duration::from_millis(20)).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(RedirectListener::bind(port, "/callback").await.is_ok());
    }

    #[tokio::test]
    async fn an_invalid_path_is_refused() {
        for path in ["", "callback", "//evil.example/", "/a?b", "/{x}", "/a b"] {
            assert!(RedirectListener::bind(0, path).await.is_err(), "{path}");
        }
    }
}

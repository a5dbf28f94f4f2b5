//! The exchange of a token for a session, and the end of a session.

use super::{headers::Nonce, session::Session};
use crate::{console::Console, form::Form, page};
use axum::{
    Extension,
    body::Bytes,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::sync::{Arc, atomic::Ordering};

/// Shows the page whose script sends the token in its fragment, which no server's log has.
pub(crate) async fn sign_in_page(
    State(console): State<Arc<Console>>,
    Extension(nonce): Extension<Nonce>,
    headers: HeaderMap,
) -> Response {
    let takes_tokens = console.keys.as_ref().map(|keys| keys.takes_tokens());
    page::sign_in(console.texts(&headers), &nonce, takes_tokens).into_response()
}

/// Exchanges a token, or a key where there are keys, for the cookie of a new session.
pub(crate) async fn sign_in(
    State(console): State<Arc<Console>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let form = Form::parse(&body);
    let words = &console.texts(&headers).sign_in;
    let (opened, refused) = match (&console.keys, form.one("key")) {
        (Some(keys), Some(key)) => {
            let operator = keys.operator(key.trim()).await;
            (
                operator.map(|operator| console.sessions.open_with_key(operator)).transpose(),
                &words.unknown_key,
            )
        }
        _ => (console.sessions.open(form.one("token").unwrap_or_default()), &words.used),
    };
    match opened {
        Err(error) => {
            tracing::error!(%error, "no session of the console could be opened");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
        Ok(None) => (StatusCode::FORBIDDEN, refused.clone()).into_response(),
        Ok(Some(secret)) => with_cookie(&console.address.cookie(secret.as_str())),
    }
}

/// Ends the session.
pub(crate) async fn sign_out(
    State(console): State<Arc<Console>>,
    Extension(session): Extension<Arc<Session>>,
) -> Response {
    console.sessions.end(&session);
    let mut response = with_cookie(&console.address.no_cookie());
    response.headers_mut().insert("hx-redirect", HeaderValue::from_static("/sign-in"));
    response
}

/// Counts what a browser reports of forbidden content, so that a test sees it.
pub(crate) async fn report(State(console): State<Arc<Console>>, body: Bytes) -> StatusCode {
    console.violations.fetch_add(1, Ordering::Relaxed);
    let text = String::from_utf8_lossy(&body[..body.len().min(1000)]).into_owned();
    tracing::warn!(report = text, "a browser refused content of the console");
    StatusCode::NO_CONTENT
}

fn with_cookie(cookie: &str) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use crate::{
        operator::{KeyedOperator, Operator, OperatorKeys, OperatorRole},
        testing::{TestConsole, over_network},
    };
    use async_trait::async_trait;
    use axum::{Router, body::Body, response::Response};
    use http::{Request, StatusCode, header};
    use http_body_util::BodyExt;
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };
    use tower::ServiceExt;

    /// One key, until it is revoked.
    #[derive(Debug)]
    struct OneKey(Arc<AtomicBool>);

    #[async_trait]
    impl OperatorKeys for OneKey {
        async fn operator(&self, key: &str) -> Option<KeyedOperator> {
            let is_valid = self.0.clone();
            let holds = Box::new(move || is_valid.load(Ordering::Relaxed));
            let operator = Operator { name: "ann".to_owned(), role: OperatorRole::Viewer };
            (key == "mgp_right" && holds()).then_some(KeyedOperator { operator, holds })
        }

        fn takes_tokens(&self) -> bool {
            true
        }
    }

    async fn sign_in(router: &Router, form: &str, origin: &str) -> Response {
        let request = Request::post("/sign-in").header("host", "console.test").header("origin", origin);
        let request = request.body(Body::from(form.to_owned())).unwrap();
        router.clone().oneshot(request).await.unwrap()
    }

    async fn page(router: &Router, path: &str, cookie: &str) -> (StatusCode, String) {
        let request = Request::get(path).header("host", "console.test").header("cookie", cookie);
        let response = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn a_key_opens_a_session_over_the_network_until_it_is_revoked() {
        let is_valid = Arc::new(AtomicBool::new(true));
        let router = over_network(OneKey(is_valid.clone()));
        let (_, asked) = page(&router, "/sign-in", "").await;
        for expected in ["type=\"password\"", "Key or access token", "mgp keys add NAME --console viewer"] {
            assert!(asked.contains(expected), "{expected}: {asked}");
        }
        let own = "https://console.test";
        for (form, origin) in [
            ("key=mgp_wrong", own),
            ("token=mgp_right", own),
            ("", own),
            ("key=mgp_right", "https://evil.test"),
        ] {
            assert_eq!(
                sign_in(&router, form, origin).await.status(),
                StatusCode::FORBIDDEN,
                "{form} {origin}"
            );
        }
        let opened = sign_in(&router, "key=+mgp_right%0A", own).await;
        assert_eq!(opened.status(), StatusCode::NO_CONTENT);
        let cookie = opened.headers()[header::SET_COOKIE].to_str().unwrap();
        let (cookie, attributes) = cookie.split_once(';').unwrap();
        assert!(cookie.starts_with("__Host-") && attributes.contains("HttpOnly; SameSite=Strict; Secure"));
        let (status, settings) = page(&router, "/settings", cookie).await;
        assert!(status != StatusCode::SEE_OTHER && settings.contains("ann"), "{status}: {settings}");
        is_valid.store(false, Ordering::Relaxed);
        assert_eq!(page(&router, "/settings", cookie).await.0, StatusCode::SEE_OTHER);
        assert_eq!(sign_in(&router, "key=mgp_right", own).await.status(), StatusCode::FORBIDDEN);
    }

    #[tokio::test]
    async fn the_console_of_this_machine_takes_no_key() {
        let console = TestConsole::new(OperatorRole::Viewer, &[]);
        let (_, page) = console.get("/sign-in").await;
        assert!(!page.contains("password") && page.contains("mgp console"), "{page}");
        assert_eq!(console.post("/sign-in", "key=mgp_right").await.0, StatusCode::FORBIDDEN);
    }
}

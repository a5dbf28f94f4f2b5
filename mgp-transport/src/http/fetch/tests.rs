//! The bounds of a fetch, against a server made for it.

use super::{
    DocumentError, FetchLimits, Fetcher,
    resolver::{ClosedAddress, Reach, Resolver},
    route::Proxies,
};
use crate::http::zone::Zone;
use axum::{
    Router,
    http::{HeaderMap, StatusCode, header::LOCATION},
    routing::{get, post},
};
use hyper_util::client::proxy::matcher::Matcher;
use parking_lot::Mutex;
use reqwest::dns::Resolve;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::TcpListener,
};
use url::Url;

/// A time limit that even a slow machine keeps.
const AMPLE: Duration = Duration::from_secs(120);

async fn serve() -> SocketAddr {
    let to = |location: &'static str| get(async move || (StatusCode::FOUND, [(LOCATION, location)], ""));
    let router = Router::new()
        .route("/short", get("short"))
        .route("/long", get("x".repeat(101)))
        .route("/exact", get("x".repeat(100)))
        .route("/never", get(std::future::pending::<&str>))
        .route("/to-short", to("/short"))
        .route("/circle", to("/circle"))
        .route("/away", to("http://localhost:1/short"))
        .route("/post", post(async || (StatusCode::TEMPORARY_REDIRECT, [(LOCATION, "/short")], "")));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

fn fetcher(zone: Zone) -> Fetcher {
    let limits = FetchLimits { size: 100, time: AMPLE, redirects: 2 };
    Fetcher::new(limits, zone).unwrap()
}

async fn fetch(fetcher: &Fetcher, url: &str) -> Result<String, DocumentError> {
    let fetched = fetcher.get(&Url::parse(url).unwrap()).await?;
    Ok(format!("{} {}", fetched.status.as_u16(), String::from_utf8(fetched.body).unwrap()))
}

#[tokio::test]
async fn a_document_has_a_bound_on_its_size() {
    let (address, fetcher) = (serve().await, fetcher(Zone::Local));
    assert_eq!(fetch(&fetcher, &format!("http://{address}/short")).await.unwrap(), "200 short");
    assert_eq!(fetch(&fetcher, &format!("http://{address}/none")).await.unwrap(), "404 ");
    assert!(fetch(&fetcher, &format!("http://{address}/exact")).await.is_ok());
    let error = fetch(&fetcher, &format!("http://{address}/long")).await.unwrap_err();
    assert!(matches!(error, DocumentError::TooLong { max: 100, .. }), "{error}");
}

#[tokio::test]
async fn an_endless_exchange_is_given_up() {
    let address = serve().await;
    let limits = FetchLimits { time: Duration::from_millis(50), ..FetchLimits::default() };
    let fetcher = Fetcher::new(limits, Zone::Local).unwrap();
    let error = fetch(&fetcher, &format!("http://{address}/never?secret=1")).await.unwrap_err();
    assert!(
        matches!(error, DocumentError::Timeout { .. }) && !error.to_string().contains("secret"),
        "{error}"
    );
}

#[tokio::test]
async fn redirects_stay_with_their_origin_and_are_bounded() {
    let (address, fetcher) = (serve().await, fetcher(Zone::Local));
    assert_eq!(fetch(&fetcher, &format!("http://{address}/to-short")).await.unwrap(), "200 short");
    for path in ["circle", "away"] {
        let error = fetch(&fetcher, &format!("http://{address}/{path}")).await.unwrap_err();
        assert!(matches!(error, DocumentError::Redirect { .. }), "{path}: {error}");
    }
    // What is posted, a secret perhaps, goes nowhere else.
    let url = Url::parse(&format!("http://{address}/post")).unwrap();
    let fetched = fetcher.post(&url, "text/plain", HeaderMap::new(), b"x".to_vec()).await.unwrap();
    assert_eq!(fetched.status, StatusCode::TEMPORARY_REDIRECT);
}

#[tokio::test]
async fn a_fetcher_for_a_public_server_uses_no_other_network() {
    let address = serve().await;
    let by_address = format!("http://{address}/short");
    let by_name = format!("http://localhost:{}/short", address.port());
    let public = fetcher(Zone::Public);
    for url in [&by_address, &by_name, "https://169.254.169.254/x", "https://10.0.0.1/x", "https://[::1]/"] {
        let error = fetch(&public, url).await.unwrap_err();
        assert!(matches!(error, DocumentError::Zone { allowed: Zone::Public, .. }), "{url}: {error}");
    }
    public.widen(Zone::Local);
    assert_eq!(fetch(&public, &by_address).await.unwrap(), "200 short");
}

#[tokio::test]
async fn a_name_that_leads_to_a_closed_address_is_refused() {
    let resolve = async |zone| {
        let resolver = Resolver(Arc::new(Reach::new(zone)));
        resolver.resolve("localhost".parse().unwrap()).await.map(Iterator::count)
    };
    let refusal = resolve(Zone::Public).await.unwrap_err();
    assert!(refusal.is::<ClosedAddress>(), "{refusal}");
    assert!(resolve(Zone::Private).await.is_err());
    assert!(resolve(Zone::Local).await.unwrap() > 0);
}

#[tokio::test]
async fn only_https_is_used_beyond_this_machine() {
    let fetcher = fetcher(Zone::Local);
    for url in ["http://example.com/", "http://10.0.0.1/", "ftp://127.0.0.1/", "file:///etc/passwd"] {
        let error = fetch(&fetcher, url).await.unwrap_err();
        assert!(matches!(error, DocumentError::Insecure { .. }), "{url}: {error}");
    }
}

/// Returns a proxy for every address except those of `except`, which has the form of `NO_PROXY`.
fn behind(proxy: &str, except: &str) -> Proxies {
    let given = reqwest::Proxy::all(proxy).unwrap().no_proxy(reqwest::NoProxy::from_string(except));
    Proxies::given(given, Matcher::builder().all(proxy).no(except).build())
}

/// Starts a proxy that refuses everything. Returns its URL and the requests that it gets.
async fn proxy() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    // A name, as that of a proxy often is.
    let url = format!("http://localhost:{}", listener.local_addr().unwrap().port());
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let log = asked.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let mut stream = BufReader::new(stream);
            let mut line = String::new();
            stream.read_line(&mut line).await.unwrap();
            log.lock().push(line.trim_end().to_owned());
            let _ = stream.write_all(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n").await;
        }
    });
    (url, asked)
}

#[tokio::test]
async fn a_proxy_may_be_in_any_network_but_its_target_may_not() {
    let (proxy, asked) = proxy().await;
    let limits = FetchLimits { time: AMPLE, ..FetchLimits::default() };
    let fetcher = Fetcher::behind(behind(&proxy, ""), limits, Zone::Public).unwrap();
    let error = fetch(&fetcher, "https://1.1.1.1/x").await.unwrap_err();
    assert!(matches!(error, DocumentError::Unreachable { .. }), "{error}");
    assert_eq!(*asked.lock(), ["CONNECT 1.1.1.1:443 HTTP/1.1"]);
    let error = fetch(&fetcher, "https://10.0.0.1/x").await.unwrap_err();
    assert!(matches!(error, DocumentError::Zone { .. }), "{error}");
    // The proxy may know a name that nobody knows here.
    let error = fetch(&fetcher, "https://vault.invalid/x").await.unwrap_err();
    assert!(matches!(error, DocumentError::NoAddress { allowed: Zone::Public, .. }), "{error}");
    assert_eq!(asked.lock().len(), 1, "the proxy was not asked for either");
    fetcher.widen(Zone::Local);
    fetch(&fetcher, "https://vault.invalid/x").await.unwrap_err();
    assert_eq!(asked.lock()[1..], ["CONNECT vault.invalid:443 HTTP/1.1"]);
}

#[tokio::test]
async fn no_proxy_is_used_for_this_machine_or_exceptions() {
    let (proxy, asked) = proxy().await;
    let address = serve().await;
    let limits = FetchLimits { time: AMPLE, ..FetchLimits::default() };
    let local = Fetcher::behind(behind(&proxy, ""), limits, Zone::Local).unwrap();
    assert_eq!(fetch(&local, &format!("http://{address}/short")).await.unwrap(), "200 short");
    let public = Fetcher::behind(behind(&proxy, "vault.invalid"), limits, Zone::Public).unwrap();
    assert!(fetch(&public, "https://vault.invalid/x").await.is_err());
    assert!(asked.lock().is_empty());
}

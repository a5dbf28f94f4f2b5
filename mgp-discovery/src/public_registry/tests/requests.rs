//! Tests of the client, with a registry of a few made-up servers.

use crate::public_registry::{MAX_PAGES, PublicRegistry, PublicRegistryError};
use async_trait::async_trait;
use http::{Request, Response};
use mgp_transport::seam::{Fetch, FetchError};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;

/// Answers by the path and query of a request, and remembers the request.
#[derive(Debug, Default)]
pub(super) struct LocalRegistry {
    asked: Mutex<Vec<String>>,
    pages: Vec<(&'static str, u16, String)>,
}

impl LocalRegistry {
    pub(super) fn with(pages: impl IntoIterator<Item = (&'static str, u16, Value)>) -> Arc<Self> {
        let pages = pages.into_iter().map(|(path, status, body)| (path, status, body.to_string()));
        Arc::new(Self { pages: pages.collect(), ..Self::default() })
    }

    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().clone()
    }
}

#[async_trait]
impl Fetch for LocalRegistry {
    async fn fetch(&self, request: Request<String>, max: usize) -> Result<Response<Vec<u8>>, FetchError> {
        let asked = request.uri().path_and_query().unwrap().as_str().to_owned();
        self.asked.lock().push(asked.clone());
        let found = self.pages.iter().find(|(path, ..)| asked.starts_with(path));
        let (status, body) = found.map_or((404, ""), |(_, status, body)| (*status, body.as_str()));
        if body.len() > max {
            return Err(FetchError::TooLong(max));
        }
        Ok(Response::builder().status(status).body(body.as_bytes().to_vec()).unwrap())
    }
}

pub(super) fn registry(local: &Arc<LocalRegistry>) -> PublicRegistry {
    PublicRegistry::new("http://127.0.0.1/api/", local.clone()).unwrap()
}

pub(super) fn listed(names: &[&str], next: Option<&str>) -> Value {
    let servers: Vec<_> =
        names.iter().map(|name| json!({"server": {"name": name, "description": "Takes Notes"}})).collect();
    json!({"servers": servers, "metadata": {"nextCursor": next}})
}

const FIRST: &str = "/api/v0.1/servers?search=example&version=latest&limit=100";

#[tokio::test]
async fn a_search_reads_page_after_page_until_it_has_enough() {
    let next = "/api/v0.1/servers?search=example&version=latest&limit=100&cursor=a%2Fb%26";
    let local = LocalRegistry::with([
        (next, 200, listed(&["x/example-2", "x/example-1"], None)),
        (FIRST, 200, listed(&["x/example-1", "x/other"], Some("a/b&"))),
    ]);
    let words = ["Notes EXAMPLE".to_owned()];
    let found = registry(&local).search(&words, 10).await.unwrap();
    let names: Vec<_> = found.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!((names, found.more), (vec!["x/example-1", "x/example-2"], false));
    assert_eq!(local.asked(), [FIRST, next]);
    let found = registry(&local).search(&words, 1).await.unwrap();
    assert_eq!((found.entries.len(), found.more), (1, true));
    assert_eq!(local.asked().len(), 3, "no page more than is needed");
}

#[tokio::test]
async fn a_word_in_no_name_is_matched_in_the_other_results() {
    let local = LocalRegistry::with([
        ("/api/v0.1/servers?search=takes&", 200, listed(&[], None)),
        ("/api/v0.1/servers?search=ab&", 200, listed(&["x/ab"], None)),
    ]);
    let found = registry(&local).search(&["ab".into(), "takes".into()], 10).await.unwrap();
    assert_eq!((found.entries.len(), local.asked().len()), (1, 2));
}

#[tokio::test]
async fn an_endless_list_is_given_up() {
    let circle = LocalRegistry::with([(FIRST, 200, listed(&[], Some("x")))]);
    let error = registry(&circle).search(&["example".into()], 5).await.unwrap_err();
    assert!(matches!(error, PublicRegistryError::Circle { .. }), "{error}");
    assert_eq!(circle.asked().len(), 2);

    #[derive(Debug, Default)]
    struct EndlessBody(Mutex<usize>);
    #[async_trait]
    impl Fetch for EndlessBody {
        async fn fetch(&self, _: Request<String>, _: usize) -> Result<Response<Vec<u8>>, FetchError> {
            let mut count = self.0.lock();
            *count += 1;
            Ok(Response::new(listed(&[], Some(&count.to_string())).to_string().into_bytes()))
        }
    }
    let endless = Arc::new(EndlessBody::default());
    let registry = PublicRegistry::new("http://127.0.0.1", endless.clone()).unwrap();
    let found = registry.search(&["example".into()], 5).await.unwrap();
    assert_eq!((found.entries.len(), found.more, *endless.0.lock()), (0, true, MAX_PAGES));
}

#[tokio::test]
async fn a_server_is_requested_by_name_or_from_an_older_list() {
    let at = "/api/v0.1/servers/com.example%2Fnotes/versions/latest";
    let server = json!({"server": {"name": "com.example/notes", "version": "2"}});
    let local = LocalRegistry::with([(at, 200, server)]);
    assert_eq!(registry(&local).server("com.example/notes").await.unwrap().version.as_deref(), Some("2"));
    assert_eq!(local.asked(), [at]);

    let list = listed(&["com.example/notes-2", "com.example/notes"], None);
    let old = LocalRegistry::with([("/api/v0/servers?search=com.example%2Fnotes", 200, list)]);
    assert_eq!(registry(&old).server("com.example/notes").await.unwrap().name, "com.example/notes");
    let missing = registry(&old).server("com.example/none").await.unwrap_err();
    assert!(
        matches!(&missing, PublicRegistryError::NotFound(name) if name == "com.example/none"),
        "{missing}"
    );
    let none = LocalRegistry::with([]);
    let missing = registry(&none).server("com.example/none").await.unwrap_err();
    assert!(matches!(missing, PublicRegistryError::NotFound(_)), "{missing}");
}

#[tokio::test]
async fn an_unexpected_answer_of_a_registry_is_named() {
    for (status, body, expected) in [
        (500, json!({}), "http://127.0.0.1/api/v0.1/servers answered with the status 500: expected 200"),
        (302, json!({}), "the status 302"),
        (200, json!({"error": "x"}), "cannot be read: it has no servers"),
        (200, json!({"servers": "x".repeat(5_000_000)}), "too long: expected at most 4194304 bytes"),
    ] {
        let local = LocalRegistry::with([("/api/v0.1/servers", status, body)]);
        let error = registry(&local).search(&["example".into()], 5).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let other = LocalRegistry::with([("/", 200, json!({"server": {"name": "other"}}))]);
    let error = registry(&other).server("com.example/x").await.unwrap_err();
    assert!(matches!(error, PublicRegistryError::NotFound(_)), "another server than was asked for: {error}");
}

#[tokio::test]
async fn invalid_requests_are_not_sent() {
    let local = LocalRegistry::with([]);
    for url in ["no url", "ftp://x", "http://u:p@x", "http://x/?q=1"] {
        let error = PublicRegistry::new(url, local.clone()).unwrap_err();
        assert!(matches!(error, PublicRegistryError::Url { .. }), "{url}: {error}");
    }
    assert!(registry(&local).search(&[" ".into()], 5).await.is_err());
    assert!(registry(&local).search(&["x".repeat(257)], 5).await.is_err());
    assert!(registry(&local).search(&["x ".repeat(17)], 5).await.is_err());
    for name in ["", "a\nb", "x".repeat(257).as_str()] {
        assert!(registry(&local).server(name).await.is_err());
    }
    assert_eq!(local.asked(), [""; 0]);
}

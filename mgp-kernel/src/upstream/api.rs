//! HTTP APIs as servers: the operations of an OpenAPI document are the tools of a server in this process.

use mgp_server_sdk::{
    Server,
    openapi::{Api, Document, HttpClientConfig, OriginLimits, Selection},
};
use mgp_transport::{
    http::origin::{OriginClient, OriginRequest},
    memory,
};
use std::{
    fmt,
    fs::File,
    io::{self, Read},
    path::PathBuf,
    time::Duration,
};
use url::Url;

/// The longest document, in bytes.
const MAX_DOCUMENT: usize = 64 * 1024 * 1024;
/// The time limit of fetching a document.
const FETCH: Duration = Duration::from_secs(60);

/// An HTTP API, which is read at each start of its server.
#[derive(Clone)]
pub struct ApiEndpoint {
    /// The place of the document.
    pub document: DocumentPlace,
    /// The URL that the document's paths follow. Without one, it is the first one that the document names.
    pub base_url: Option<String>,
    /// The operations that are tools.
    pub selection: Selection,
    /// The most pages that one call reads and joins.
    pub max_pages: Option<usize>,
    /// The credentials of requests.
    pub config: HttpClientConfig,
}

/// The place of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentPlace {
    /// A file.
    File(PathBuf),
    /// A URL.
    Url(Url),
}

impl fmt::Display for DocumentPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            // A query may hold a key.
            Self::Url(url) => f.write_str(url.as_str().split(['?', '#']).next().unwrap_or_default()),
        }
    }
}

impl fmt::Debug for ApiEndpoint {
    /// Omits the credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiEndpoint")
            .field("document", &self.document)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}

impl ApiEndpoint {
    /// Reads the document, and starts a server of its operations. Returns the other end of a connection to the server.
    pub(super) async fn connect(&self, id: &str) -> io::Result<memory::End> {
        let failed = |error: String| io::Error::other(format!("OpenAPI document {}: {error}", self.document));
        let text = match &self.document {
            DocumentPlace::File(path) => {
                let path = path.clone();
                blocking(move || read(&path)).await.map_err(|error| failed(error.to_string()))?
            }
            DocumentPlace::Url(url) => self.fetch(url).await.map_err(failed)?,
        };
        let (id, api) = (id.to_owned(), self.clone());
        // A long document takes seconds.
        let built = move || {
            let document = Document::parse(&text).map_err(|error| error.to_string())?;
            let mut built = Api::new(document).select(api.selection).client(api.config);
            if let Some(url) = api.base_url {
                built = built.base_url(url);
            }
            if let Some(pages) = api.max_pages {
                built = built.max_pages(pages);
            }
            let server = Server::from_openapi(id, env!("CARGO_PKG_VERSION"), built);
            server.map_err(|error| error.to_string())?.build().map_err(|error| error.to_string())
        };
        let stack = blocking(move || Ok(built())).await?.map_err(failed)?;
        Ok(stack.in_process())
    }

    /// Fetches the document. The credentials are for the API, so they are sent only to its origin.
    async fn fetch(&self, url: &Url) -> Result<String, String> {
        let base = self.base_url.as_deref().and_then(|base| Url::parse(base).ok());
        let is_own = base.is_some_and(|base| base.origin() == url.origin());
        let config = if is_own { self.config.clone() } else { HttpClientConfig::default() };
        let limits = OriginLimits { size: MAX_DOCUMENT, time: FETCH, ..OriginLimits::default() };
        let origin = url.origin().ascii_serialization();
        let client = OriginClient::new(&origin, config, limits).map_err(|error| error.to_string())?;
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let path_and_query = format!("{}{query}", url.path());
        let request = OriginRequest {
            method: http::Method::GET,
            path_and_query,
            headers: http::HeaderMap::new(),
            body: Vec::new(),
        };
        let response = client.send(request).await.map_err(|error| error.to_string())?;
        if !response.status().is_success() {
            return Err(format!("expected the document, found HTTP {}", response.status()));
        }
        String::from_utf8(response.into_body()).map_err(|_| "expected UTF-8".to_owned())
    }
}

fn read(path: &std::path::Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(MAX_DOCUMENT as u64 + 1).read_to_string(&mut text)?;
    if text.len() > MAX_DOCUMENT {
        return Err(io::Error::other(format!("longer than {MAX_DOCUMENT} bytes")));
    }
    Ok(text)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

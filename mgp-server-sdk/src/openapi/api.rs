//! An API, with the settings of its requests.

use super::{ApiError, call::ApiCalls, tools};
use crate::Server;
use mgp_openapi::{Document, Omission, Operation, Selection};
use mgp_transport::http::{
    client::HttpClientConfig,
    origin::{OriginClient, OriginLimits},
};
use std::sync::Arc;

/// The number of pages that a call follows unless it is set.
const PAGES: usize = 5;
/// The most omitted operations that an error names.
const NAMED: usize = 3;

/// An HTTP API, with the settings of its requests.
#[derive(Debug, Clone)]
pub struct Api {
    document: Document,
    base_url: Option<String>,
    selection: Selection,
    config: HttpClientConfig,
    limits: OriginLimits,
    pages: usize,
}

impl Api {
    /// Creates an API of all operations of a document, at the first absolute URL that the document names.
    #[must_use]
    pub fn new(document: Document) -> Self {
        Self {
            document,
            base_url: None,
            selection: Selection::default(),
            config: HttpClientConfig::default(),
            limits: OriginLimits::default(),
            pages: PAGES,
        }
    }

    /// Sets the base URL, which the paths of the document follow.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Selects the operations that are tools.
    #[must_use]
    pub fn select(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// Sets the credentials: the headers, the bearer token and the authorization of `config`, which also has the time limit of
    /// connecting.
    #[must_use]
    pub fn client(mut self, config: HttpClientConfig) -> Self {
        self.config = config;
        self
    }

    /// Sets the limits of one request.
    #[must_use]
    pub fn limits(mut self, limits: OriginLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the most pages of a list that one call reads and joins; 5 by default, and 1 for no further pages.
    #[must_use]
    pub fn max_pages(mut self, pages: usize) -> Self {
        self.pages = pages.max(1);
        self
    }

    /// Returns the first absolute URL of HTTP that the document names.
    fn named_url(&self) -> Option<String> {
        let is_absolute = |url: &String| url.starts_with("https://") || url.starts_with("http://");
        self.document.servers().into_iter().find(is_absolute)
    }
}

impl Server {
    /// Creates a server whose tools are the operations of an API. Operations that cannot be tools are logged and left out.
    ///
    /// # Errors
    /// [`ApiError`].
    pub fn from_openapi(
        name: impl Into<String>,
        version: impl Into<String>,
        api: Api,
    ) -> Result<Self, ApiError> {
        let url = api.base_url.clone().or_else(|| api.named_url()).ok_or_else(|| {
            let named = api.document.servers();
            let named = if named.is_empty() { "none".to_owned() } else { named.join(", ") };
            ApiError::NoBaseUrl { named }
        })?;
        let client = OriginClient::new(&url, api.config, api.limits)
            .map_err(|source| ApiError::BaseUrl { url: url.clone(), source })?;
        let (operations, omissions) = api.document.operations(&api.selection);
        check(&operations, &omissions)?;
        for omission in &omissions {
            tracing::debug!(%omission, "an operation of the document is not a tool");
        }
        let mut server = Self::new(name, version);
        if let Some(title) = api.document.title() {
            server = server.title(title);
        }
        let calls = Arc::new(ApiCalls { client, limit: api.limits.size, pages: api.pages });
        Ok(operations
            .into_iter()
            .fold(server, |server, operation| server.tool(tools::tool(Arc::new(operation), calls.clone()))))
    }
}

/// Refuses an API without tools.
fn check(operations: &[Operation], omissions: &[Omission]) -> Result<(), ApiError> {
    if !operations.is_empty() {
        return Ok(());
    }
    let reason = match omissions {
        [] => "the document has no operation that is included and not excluded".to_owned(),
        omissions => {
            let named: Vec<_> = omissions.iter().take(NAMED).map(ToString::to_string).collect();
            let more = omissions.len() - named.len();
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            format!("{}{more}", named.join("; "))
        }
    };
    Err(ApiError::NoTools { reason })
}

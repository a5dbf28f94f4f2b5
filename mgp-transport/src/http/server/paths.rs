//! The paths that a server serves.

use super::{ServeError, auth::WELL_KNOWN};

/// The path of the tools over REST.
pub(super) const TOOLS: &str = "/tools";

/// The path of their description.
pub(super) const DESCRIPTION: &str = "/openapi.json";

/// The path of the page of documentation. The paths of its other files are below it.
#[cfg(feature = "http-docs")]
pub(super) const PAGE: &str = "/docs";

/// The paths of the page of documentation and its other files.
#[cfg(feature = "http-docs")]
pub(super) const PAGE_FILES: [&str; 4] =
    [PAGE, "/docs/start.js", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"];

/// The query parameter that names the session in the address for messages of HTTP+SSE.
pub(super) const SESSION_PARAMETER: &str = "session_id";

/// The paths that a server serves.
#[derive(Debug)]
pub(super) struct Paths {
    pub(super) endpoint: String,
    /// The paths of HTTP+SSE, if it is served.
    pub(super) http_sse: Option<HttpSsePaths>,
    /// The parts of REST that are served, if any.
    pub(super) rest: Option<Rest>,
}

/// The paths of the two ends of HTTP+SSE.
#[derive(Debug, Clone)]
pub(super) struct HttpSsePaths {
    pub(super) stream: String,
    pub(super) messages: String,
}

/// The parts of REST that are served.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rest {
    /// The tools and their description.
    Tools,
    /// The tools, their description, and the page of documentation.
    #[cfg(feature = "http-docs")]
    ToolsAndDocs,
}

impl Paths {
    /// Returns whether a configured route is at `path`: the endpoint, HTTP+SSE, REST, or, if `has_metadata`, the metadata for
    /// tokens.
    pub(super) fn has(&self, path: &str, has_metadata: bool) -> bool {
        self.endpoint == path || self.has_http_sse(path) || self.has_fixed(path, has_metadata)
    }

    /// Returns whether `path` is that of the endpoint, with or without a trailing slash.
    pub(super) fn is_endpoint(&self, path: &str) -> bool {
        path.trim_end_matches('/') == self.endpoint.trim_end_matches('/')
    }

    /// Checks that the endpoint and HTTP+SSE can be served at their paths. `has_metadata` is `true` if the metadata for tokens is
    /// served.
    ///
    /// # Errors
    /// Returns [`ServeError::Path`] if a path cannot be served.
    pub(super) fn check(&self, has_metadata: bool) -> Result<(), ServeError> {
        let refused = |path: &str, expected| Err(ServeError::Path { path: path.to_owned(), expected });
        for path in self.http_sse.iter().flat_map(HttpSsePaths::both).chain([&*self.endpoint]) {
            if !is_routable(path) {
                return refused(
                    path,
                    "a path that begins with / and has no braces, and no part that begins with : or *",
                );
            }
            if self.has_fixed(path, has_metadata) {
                return refused(path, "another path, because REST or the metadata for tokens has this one");
            }
        }
        if self.has_http_sse(&self.endpoint) {
            return refused(&self.endpoint, "another path for the endpoint, because HTTP+SSE has this one");
        }
        Ok(())
    }

    fn has_http_sse(&self, path: &str) -> bool {
        self.http_sse.as_ref().is_some_and(|paths| paths.both().contains(&path))
    }

    /// Returns whether REST or the metadata for tokens is at `path`. Their paths cannot be configured.
    fn has_fixed(&self, path: &str, has_metadata: bool) -> bool {
        has_metadata && path == WELL_KNOWN || self.rest.is_some_and(|rest| rest.has_path(path))
    }
}

impl HttpSsePaths {
    /// Creates the paths. The address for messages is in the folder of the stream.
    pub(super) fn new(stream: &str) -> Self {
        let folder = stream.rfind('/').map_or("/", |at| &stream[..=at]);
        Self { stream: stream.to_owned(), messages: format!("{folder}messages") }
    }

    /// Returns the paths of both ends.
    fn both(&self) -> [&str; 2] {
        [&self.stream, &self.messages]
    }
}

impl Rest {
    /// Returns whether `path` is one of the fixed paths.
    fn has_path(self, path: &str) -> bool {
        let is_open = match self {
            Self::Tools => false,
            #[cfg(feature = "http-docs")]
            Self::ToolsAndDocs => PAGE_FILES.contains(&path),
        };
        is_open || [TOOLS, DESCRIPTION].contains(&path)
    }
}

/// Returns the secret of a session in a query.
pub(super) fn secret_in(query: &str) -> Option<&str> {
    let parts = query.split('&').filter_map(|part| part.split_once('='));
    parts.filter(|(name, _)| *name == SESSION_PARAMETER).map(|(_, value)| value).next()
}

/// Returns whether a path can be a literal route.
fn is_routable(path: &str) -> bool {
    path.starts_with('/')
        && !path.contains(['{', '}'])
        && !path.split('/').any(|part| part.starts_with([':', '*']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_is_found_in_any_part_of_the_query() {
        assert_eq!(secret_in("a=b&session_id=7"), Some("7"));
        assert_eq!(secret_in("session_id2=7"), None);
        assert_eq!(secret_in(""), None);
    }

    #[test]
    fn the_message_path_is_next_to_the_stream() {
        for (stream, messages) in [("/sse", "/messages"), ("/old/sse", "/old/messages"), ("/", "/messages")] {
            assert_eq!(HttpSsePaths::new(stream).messages, messages);
        }
    }
}

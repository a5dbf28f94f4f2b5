//! The reasons why an API cannot be a server.

use mgp_transport::http::client::HttpClientError;

/// The reason why an API cannot be a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// Neither the document nor the settings have a base URL.
    #[error("no base URL: the document names {named}; set the base URL, such as https://api.example.com/v1")]
    NoBaseUrl {
        /// The servers that the document names.
        named: String,
    },
    /// The base URL or the credentials cannot be used.
    #[error("base URL {url:?}: {source}")]
    BaseUrl {
        /// The base URL.
        url: String,
        /// The problem with it.
        source: HttpClientError,
    },
    /// No operation is a tool.
    #[error("no tools: {reason}")]
    NoTools {
        /// The reason.
        reason: String,
    },
}

//! The metadata of a protected resource (RFC 9728).

use serde::Serialize;

/// The metadata of a protected resource. The server adds its own URL, and that tokens are sent in the `Authorization` header.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ResourceMetadata {
    /// The issuers whose tokens are accepted.
    pub authorization_servers: Vec<String>,
    /// The scopes that a client may request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes_supported: Vec<String>,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<String>,
    /// The URL of a page for people who write clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_documentation: Option<String>,
    /// The algorithms of proofs of possession that are accepted with tokens that are bound to a key (RFC 9449).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dpop_signing_alg_values_supported: Vec<String>,
}

//! Resources of the kernel itself, which features have and no server.

use async_trait::async_trait;
use mgp_transport::seam::{Reply, TokenGrant};
use mgp_types::{context::Principal, json::RawJson, rpc::ErrorObject};
use std::fmt;

/// A resource that hosts find in their list of resources, and may subscribe to. Its content depends on the servers.
pub(crate) trait ListedResource: fmt::Debug + Send + Sync {
    /// Returns the URI of the resource.
    fn uri(&self) -> &str;

    /// Returns the entry in lists of resources.
    fn entry(&self) -> RawJson;

    /// Answers `resources/read`. `granted` contains the reader's credentials, if any.
    fn read(&self, principal: &Principal, granted: Option<&TokenGrant>) -> Reply;
}

/// Resources that are not listed, because their readers know their URIs.
#[async_trait]
pub(crate) trait UnlistedResources: fmt::Debug + Send + Sync {
    /// Returns whether a URI names one of them.
    fn has(&self, uri: &str) -> bool;

    /// Answers `resources/read`.
    ///
    /// # Errors
    /// The error for a reader that may not read the resource, or for an invalid URI.
    async fn read(&self, principal: &Principal, uri: &str) -> Result<Reply, ErrorObject>;
}

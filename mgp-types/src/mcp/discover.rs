//! `server/discover`: a server's revisions and capabilities, without a session.

use crate::{
    json::RawObject,
    mcp::{PageParams, ProtocolVersion, ServerCapabilities},
};

calls! {
    /// Asks for a server's revisions and capabilities.
    control Discover = "server/discover": PageParams => DiscoverResult;
}

open_object! {
    /// A server's revisions and capabilities. The members that every result has carry the cache hint and the server's name.
    pub struct DiscoverResult {
        /// The revisions that the server speaks, as text: some may not be known here. Revisions before the stateless
        /// ones begin with `initialize`.
        items supported_versions: String = "supportedVersions",
        /// The server's capabilities.
        required capabilities: ServerCapabilities = "capabilities",
        /// Instructions for using the server, for a model.
        optional instructions: String = "instructions",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl DiscoverResult {
    /// Creates the answer of a server that speaks every revision known here.
    #[must_use]
    pub fn new(capabilities: ServerCapabilities) -> Self {
        Self {
            supported_versions: ProtocolVersion::LATEST_FIRST
                .map(|version| version.as_str().to_owned())
                .into(),
            capabilities,
            instructions: None,
            meta: None,
            other: RawObject::new(),
        }
    }

    /// Returns the latest revision without `initialize` that both sides speak.
    #[must_use]
    pub fn common_version(&self) -> Option<ProtocolVersion> {
        let known =
            self.supported_versions.iter().filter_map(|version| version.parse::<ProtocolVersion>().ok());
        known.filter(|version| version.is_stateless()).max()
    }
}

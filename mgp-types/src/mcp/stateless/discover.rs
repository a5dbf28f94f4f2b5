//! `server/discover`: what a server is and can do, without a session.

use crate::{
    json::RawObject,
    mcp::{PageParams, ProtocolVersion, ServerCapabilities},
};

calls! {
    /// Asks what a server is and can do.
    control Discover = "server/discover": PageParams => DiscoverResult;
}

open_object! {
    /// What a server is and can do. How long that may be kept, and who the server is, say the members that every result has.
    pub struct DiscoverResult {
        /// The revisions that it speaks, as text: some may not be known here. Earlier ones begin with `initialize`.
        items supported_versions: String = "supportedVersions",
        /// What it can do.
        required capabilities: ServerCapabilities = "capabilities",
        /// How to use it, for a model.
        optional instructions: String = "instructions",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

impl DiscoverResult {
    /// What a server answers that speaks every revision known here.
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

    /// The latest revision without `initialize` that both sides speak.
    #[must_use]
    pub fn common_version(&self) -> Option<ProtocolVersion> {
        let known =
            self.supported_versions.iter().filter_map(|version| version.parse::<ProtocolVersion>().ok());
        known.filter(|version| version.is_stateless()).max()
    }
}

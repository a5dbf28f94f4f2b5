//! The persistent form of a server's listing, so that its tools are known while it is not running.

use super::{
    Endpoint, ListedTool, NamedEntry, Resources, Server, listing::readable, parts_digest::PartsDigest,
};
use mgp_client_sdk::session::Greeting;
use mgp_discovery::listing::KeptListing;
use mgp_types::{
    context::TrustLevel,
    json::RawJson,
    mcp::{Implementation, ProtocolVersion, ServerCapabilities},
    negotiation::{Carrier, ExtensionSet, Negotiation},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A server's greeting and lists.
#[derive(Serialize, Deserialize)]
struct ListingRecord {
    version: ProtocolVersion,
    capabilities: ServerCapabilities,
    server_info: Implementation,
    instructions: Option<String>,
    mgp: Option<MgpRecord>,
    tools: Vec<RawJson>,
    resources: Vec<RawJson>,
    templates: Vec<RawJson>,
    prompts: Vec<RawJson>,
}

/// The result of the negotiation with a server.
#[derive(Serialize, Deserialize)]
struct MgpRecord {
    version: String,
    extensions: Vec<String>,
    server_id: Option<String>,
    permissions_required: Vec<String>,
    trust_level: Option<TrustLevel>,
}

impl MgpRecord {
    fn of(negotiated: &Negotiation) -> Self {
        Self {
            version: negotiated.version.to_string(),
            extensions: negotiated.extensions.iter().map(|extension| extension.to_string()).collect(),
            server_id: negotiated.server_id.as_deref().map(str::to_owned),
            permissions_required: negotiated.permissions_required.to_vec(),
            trust_level: negotiated.claimed_trust,
        }
    }

    fn read(self) -> Option<Negotiation> {
        Some(Negotiation {
            version: self.version.parse().ok()?,
            extensions: ExtensionSet::from_spellings(&self.extensions),
            carrier: Carrier::Capabilities,
            server_id: self.server_id.map(Arc::from),
            permissions_required: self.permissions_required.into(),
            claimed_trust: self.trust_level,
        })
    }
}

impl Server {
    /// Returns the server's last listing; `None` before its first handshake.
    pub(crate) fn listing(&self) -> Option<KeptListing> {
        let greeting = self.greeting()?;
        let (resources, prompts) = (self.offers.resources(), self.offers.prompts());
        let definitions =
            |entries: &[NamedEntry]| entries.iter().map(|entry| entry.definition.clone()).collect();
        let listing = ListingRecord {
            version: greeting.version,
            capabilities: greeting.capabilities.clone(),
            server_info: greeting.server_info.clone(),
            instructions: greeting.instructions.clone(),
            mgp: greeting.negotiated.as_ref().map(MgpRecord::of),
            tools: self.tools().iter().map(|listed| listed.definition.clone()).collect(),
            resources: definitions(&resources.resources),
            templates: definitions(&resources.templates),
            prompts: definitions(&prompts),
        };
        let listing = serde_json::to_string(&listing).ok()?;
        Some(KeptListing { server_id: self.id().to_owned(), endpoint: self.endpoint_digest(), listing })
    }

    /// Loads a kept listing, if the server had the same endpoint then. Returns whether the listing could be read.
    pub(crate) fn recall(&self, kept: &KeptListing) -> bool {
        if kept.endpoint != self.endpoint_digest() {
            return false;
        }
        let read = serde_json::from_str(&kept.listing).ok().and_then(|listing| self.read(listing));
        if read.is_none() {
            tracing::warn!(
                server = self.id(),
                "its kept listing cannot be read: it is started to list its tools again"
            );
        }
        read.is_some()
    }

    /// Takes over the listing of a replaced server. Returns whether both have the same endpoint.
    pub(crate) fn take_place_of(&self, before: &Self) -> bool {
        let Some(listing) = before.listing() else { return false };
        let read = serde_json::from_str(&listing.listing).ok().and_then(|listed| self.read(listed));
        let is_same = read.is_some() && listing.endpoint == self.endpoint_digest();
        if is_same {
            self.latencies.go_on_from(&before.latencies);
        }
        is_same
    }

    /// Returns whether another server has the same command or URL.
    pub(super) fn has_endpoint_of(&self, other: &Self) -> bool {
        self.endpoint_digest() == other.endpoint_digest()
    }

    /// Returns a digest of the server's command or URL.
    pub(crate) fn endpoint_digest(&self) -> String {
        digest(&self.spec.endpoint)
    }

    fn read(&self, listing: ListingRecord) -> Option<()> {
        let negotiated = match listing.mgp {
            Some(mgp) => Some(mgp.read()?),
            None => None,
        };
        let greeting = Greeting::kept(
            listing.version,
            listing.capabilities,
            listing.server_info,
            listing.instructions,
            negotiated,
        );
        let tools: Vec<ListedTool> = readable(&self.warnings, listing.tools, greeting.negotiated.is_some());
        let resources = Resources::read(&self.warnings, listing.resources, listing.templates);
        self.offers.recall(resources, NamedEntry::prompts(&self.warnings, listing.prompts));
        self.set_tools(tools.into());
        self.connection.set_greeting(greeting);
        self.connection.mark_recalled();
        Some(())
    }
}

/// Returns a digest of a server's command or URL. Environment variables and headers are left out, because they may be secrets.
fn digest(endpoint: &Endpoint) -> String {
    let parts: Vec<String> = match endpoint {
        #[cfg(feature = "child")]
        Endpoint::Child(command) => {
            let folder = command.working_directory().map(|folder| folder.display().to_string());
            let line = [command.program().to_owned()].into_iter().chain(command.arguments().iter().cloned());
            line.chain(folder).collect()
        }
        #[cfg(feature = "http")]
        Endpoint::Http { url, .. } => vec![url.clone()],
        Endpoint::InProcess(_) | Endpoint::Unusable(_) => Vec::new(),
    };
    let mut digest = PartsDigest::default();
    parts.iter().for_each(|part| digest.part(part));
    digest.finish()
}

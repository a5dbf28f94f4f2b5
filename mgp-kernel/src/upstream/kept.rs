//! The persistent form of a server's listing, so that its tools are known while it is not running.

use super::{ListedTool, NamedEntry, Resources, Server, listing::readable};
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

/// Returns the server's last listing; `None` before its first handshake.
pub(super) fn listing(server: &Server) -> Option<KeptListing> {
    let greeting = server.greeting()?;
    let (resources, prompts) = (server.offers.resources(), server.offers.prompts());
    let definitions = |entries: &[NamedEntry]| entries.iter().map(|entry| entry.definition.clone()).collect();
    let listing = ListingRecord {
        version: greeting.version,
        capabilities: greeting.capabilities.clone(),
        server_info: greeting.server_info.clone(),
        instructions: greeting.instructions.clone(),
        mgp: greeting.negotiated.as_ref().map(MgpRecord::of),
        tools: server.tools().iter().map(|listed| listed.definition.clone()).collect(),
        resources: definitions(&resources.resources),
        templates: definitions(&resources.templates),
        prompts: definitions(&prompts),
    };
    let listing = serde_json::to_string(&listing).ok()?;
    Some(KeptListing { server_id: server.id().to_owned(), endpoint: server.spec.endpoint.digest(), listing })
}

/// Loads a kept listing, if the server had the same endpoint then. Returns whether the listing could be read.
pub(super) fn recall(server: &Server, kept: &KeptListing) -> bool {
    if kept.endpoint != server.spec.endpoint.digest() {
        return false;
    }
    let read = serde_json::from_str(&kept.listing).ok().and_then(|listing| read(server, listing));
    if read.is_none() {
        tracing::warn!(
            server = server.id(),
            "its kept listing cannot be read: it is started to list its tools again"
        );
    }
    read.is_some()
}

/// Takes over the listing of a replaced server, and the latencies of its tools. Returns whether both have the same endpoint.
pub(crate) fn take_listing_of(server: &Server, before: &Server) -> bool {
    let Some(listing) = listing(before) else { return false };
    let read = serde_json::from_str(&listing.listing).ok().and_then(|listed| read(server, listed));
    let is_same = read.is_some() && listing.endpoint == server.spec.endpoint.digest();
    if is_same {
        server.latencies.go_on_from(&before.latencies);
    }
    is_same
}

fn read(server: &Server, listing: ListingRecord) -> Option<()> {
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
    let tools: Vec<ListedTool> =
        readable(&server.warnings, &server.spec, listing.tools, greeting.negotiated.is_some());
    let resources = Resources::read(&server.warnings, listing.resources, listing.templates);
    server.offers.recall(resources, NamedEntry::prompts(&server.warnings, listing.prompts));
    server.set_tools(tools.into());
    server.connection.set_greeting(greeting);
    server.connection.mark_recalled();
    Some(())
}

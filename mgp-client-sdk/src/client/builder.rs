//! Puts a client together. How it connects is in `connect`.

use super::{Limits, handlers::Handlers};
use crate::handshake::EraChoice;
use mgp_transport::{
    connection::Config,
    seam::{BoxPeerService, PeerService, boxed},
};
use mgp_types::{
    mcp::{ClientCapabilities, Implementation},
    negotiation::ExtensionSet,
};
use std::time::Duration;

/// What a client is made of. Start with [`Client::builder`](super::Client::builder).
#[derive(Debug, Clone)]
pub struct ClientBuilder {
    pub(super) info: Implementation,
    pub(super) capabilities: ClientCapabilities,
    pub(super) offered: Option<ExtensionSet>,
    pub(super) handlers: Handlers,
    pub(super) service: Option<BoxPeerService>,
    pub(super) config: Config,
    pub(super) limits: Limits,
    pub(super) cache: usize,
    pub(super) check_results: bool,
    pub(super) time_limit: Duration,
    pub(super) era: Option<EraChoice>,
}

impl ClientBuilder {
    pub(super) fn new(name: &str, version: &str) -> Self {
        Self {
            info: Implementation::new(name, version),
            capabilities: ClientCapabilities::default(),
            offered: Some(ExtensionSet::ALL),
            handlers: Handlers::default(),
            service: None,
            config: Config::default(),
            limits: Limits::default(),
            cache: 0,
            check_results: true,
            time_limit: Duration::from_secs(30),
            era: None,
        }
    }

    /// What the client can do for the server, beside what its handlers say; of an area that stands in both, this counts. What it
    /// can do without a handler must be answered by [`service`](Self::service).
    #[must_use]
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// The MGP extensions to offer; all otherwise.
    #[must_use]
    pub fn offer(mut self, extensions: ExtensionSet) -> Self {
        self.offered = Some(extensions);
        self
    }

    /// Makes it a plain MCP client, which offers nothing of MGP.
    #[must_use]
    pub fn without_mgp(mut self) -> Self {
        self.offered = None;
        self
    }

    /// Handles what the server sends and no handler answers: its requests, and all notifications but progress.
    #[must_use]
    pub fn service(mut self, service: impl PeerService) -> Self {
        self.service = Some(boxed(service));
        self
    }

    /// The bounds of the connection.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// The bounds of what the client reads and answers.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Keeps the server's lists and what was read of its resources for as long as the server lets it, up to so many bytes: asked for
    /// again in that time, they are not asked of the server. Only servers of the stateless era say how long. Nothing is kept otherwise.
    ///
    /// What a subscription or the session tells of is forgotten at once.
    #[must_use]
    pub fn cache(mut self, bytes: usize) -> Self {
        self.cache = bytes;
        self
    }

    /// Whether structured content is [checked](mgp_server_sdk::schema) against the output schema of its tool, as
    /// [`Client::call_tool`](super::Client::call_tool) says. It is, unless this says no.
    #[must_use]
    pub fn check_results(mut self, yes: bool) -> Self {
        self.check_results = yes;
        self
    }

    /// How long the handshake may take; 30 seconds otherwise.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// In which era of MCP the server is spoken to. Otherwise one over HTTP or in a child process is asked, and one over other
    /// byte streams, which could not be started anew if that ends it, is spoken to in the era of `initialize`.
    #[must_use]
    pub fn era(mut self, choice: EraChoice) -> Self {
        self.era = Some(choice);
        self
    }
}

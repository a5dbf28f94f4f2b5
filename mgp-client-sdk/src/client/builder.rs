//! Puts a client together. How it connects is in `connect`.

use super::{Limits, handlers::Handlers, timeouts::Timeouts};
use crate::handshake::EraChoice;
use mgp_transport::{
    connection::Config,
    seam::{BoxPeerService, PeerService, boxed},
};
use mgp_types::{
    mcp::{ClientCapabilities, Implementation},
    negotiation::{Extension, ExtensionSet},
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
    pub(super) timeouts: Timeouts,
    pub(super) era: Option<EraChoice>,
}

impl ClientBuilder {
    pub(super) fn new(name: &str, version: &str) -> Self {
        Self {
            info: Implementation::new(name, version),
            capabilities: ClientCapabilities::default(),
            offered: Some(offered()),
            handlers: Handlers::default(),
            service: None,
            config: Config::default(),
            limits: Limits::default(),
            cache: 0,
            check_results: true,
            time_limit: Duration::from_secs(30),
            timeouts: Timeouts::default(),
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

    /// The MGP extensions to offer; otherwise all but `code_safety` and `bidirectional`, of which a client has nothing. Whoever offers
    /// `bidirectional` answers callbacks (§13.4) in [`on_notification`](Self::on_notification) or [`service`](Self::service); one of a
    /// server that it was not offered to is logged and answered with an error.
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

    /// The time that a request may take; 60 seconds otherwise. One that is not answered in time is cancelled, and fails with
    /// [`CallError::Timeout`](mgp_transport::seam::CallError::Timeout). Whatever the server says of it, its progress first of all, begins
    /// the time anew, up to the [maximum](Self::max_request_timeout). The time in which the client answers what the server asks does not
    /// count.
    ///
    /// It holds for each round of input, not for what is started with [`start_tool`](super::Client::start_tool) or sent through
    /// [`peer`](super::Client::peer), and not for waiting for a task, which has its own [limit](Limits::task_time_limit).
    #[must_use]
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.request = timeout;
        self
    }

    /// The time that a request may take in all, whatever its server says of it; 10 minutes otherwise.
    #[must_use]
    pub fn max_request_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.max = timeout;
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

/// What of MGP a client has. Code safety (§7) and events and callbacks (§13) are not built.
fn offered() -> ExtensionSet {
    let missing = [Extension::CodeSafety, Extension::Bidirectional];
    Extension::ALL.into_iter().filter(|extension| !missing.contains(extension)).collect()
}

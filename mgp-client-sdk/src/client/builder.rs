//! Builds a client. The functions that connect it are in `connect`.

use super::{Limits, handlers::Handlers, timeouts::Timeouts};
use crate::session::EraChoice;
use mgp_lifecycle::retry::RetryPolicy;
use mgp_transport::{
    connection::Config,
    seam::{BoxPeerService, PeerService, boxed},
};
use mgp_types::{
    mcp::{ClientCapabilities, Implementation},
    negotiation::{Extension, ExtensionSet},
};
use std::time::Duration;

/// A builder of a [`Client`](super::Client), made by [`Client::builder`](super::Client::builder).
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
    #[cfg(feature = "check-results")]
    pub(super) check_results: bool,
    pub(super) timeout: Duration,
    pub(super) timeouts: Timeouts,
    pub(super) retries: RetryPolicy,
    pub(super) close_timeout: Duration,
    pub(super) era: Option<EraChoice>,
}

impl ClientBuilder {
    pub(super) fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            info: Implementation::new(name, version),
            capabilities: ClientCapabilities::default(),
            offered: Some(offered()),
            handlers: Handlers::default(),
            service: None,
            config: Config::default(),
            limits: Limits::default(),
            cache: 0,
            #[cfg(feature = "check-results")]
            check_results: true,
            timeout: Duration::from_secs(30),
            timeouts: Timeouts::default(),
            retries: RetryPolicy::default(),
            close_timeout: Duration::from_secs(4),
            era: None,
        }
    }

    /// Sets capabilities of the client in addition to those that its handlers declare. For an area that both declare, these
    /// settings apply. Requests of an area without a handler must be answered by [`service`](Self::service).
    #[must_use]
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Sets the MGP extensions to offer. By default, these are all except `code_safety`, which clients do not implement, `tool_creation`, which
    /// [`tool_creation`](Self::tool_creation) adds, and `callbacks`, which [`on_callback`](Self::on_callback) adds. A program that offers
    /// `callbacks` without that handler answers callbacks (§13.4) in [`on_notification`](Self::on_notification) or [`service`](Self::service). A
    /// callback of a server to which the extension was not offered is logged and answered with an error.
    #[must_use]
    pub fn offer(mut self, extensions: ExtensionSet) -> Self {
        self.offered = Some(extensions);
        self
    }

    /// Makes the client a plain MCP client, which does not offer MGP.
    #[must_use]
    pub fn without_mgp(mut self) -> Self {
        self.offered = None;
        self
    }

    /// Sets the service for requests of the server that have no handler, and for all notifications except progress.
    #[must_use]
    pub fn service(mut self, service: impl PeerService) -> Self {
        self.service = Some(boxed(service));
        self
    }

    /// Sets the configuration of the connection, with its limits.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Sets the limits of what the client reads and answers.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Caches the server's lists and read resources, up to a number of bytes, for as long as the server allows. A cached result
    /// is returned without a request to the server. Only servers of the stateless era allow caching. By default nothing is
    /// cached.
    ///
    /// A result is dropped as soon as a subscription or the session reports a change of it.
    #[must_use]
    pub fn cache(mut self, bytes: usize) -> Self {
        self.cache = bytes;
        self
    }

    /// Sets whether structured content is [checked](mgp_types::json_schema) against the output schema of its tool, as
    /// [`Client::call_tool`](super::Client::call_tool) describes. By default it is checked.
    #[cfg(feature = "check-results")]
    #[must_use]
    pub fn check_results(mut self, yes: bool) -> Self {
        self.check_results = yes;
        self
    }

    /// Sets the timeout of a request; 60 seconds by default. A request that is not answered in time is cancelled, and fails with
    /// [`CallError::Timeout`](mgp_transport::seam::CallError::Timeout). Any message of the server about the request, such as
    /// progress, restarts the timeout, up to the [maximum](Self::max_request_timeout). The time in which the client answers
    /// questions of the server does not count.
    ///
    /// The timeout applies to each round of input. It does not apply to calls that are started with
    /// [`start_tool`](super::Client::start_tool) or sent through [`peer`](super::Client::peer), nor to waiting for a task, which
    /// has its own [limit](Limits::task_timeout).
    #[must_use]
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.request = timeout;
        self
    }

    /// Sets the total time limit of a request, regardless of progress; 10 minutes by default.
    #[must_use]
    pub fn max_request_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.max = timeout;
        self
    }

    /// Sets the limits of retries (§14.6); by default, a request is retried at most twice. It is retried if an MGP server reports in its error
    /// that this does no harm (`retryable`), unless the caller has received progress or chunks, or the client has answered a question. The retry
    /// follows after the pause in the error, which must be shorter than the [timeout](Self::request_timeout), and within the [total time
    /// limit](Self::max_request_timeout) of the request. Each retry is logged.
    ///
    /// ```
    /// use mgp_client_sdk::client::{Client, RetryPolicy};
    /// let builder = Client::builder("example", "1.0.0").retries(RetryPolicy::never());
    /// ```
    #[must_use]
    pub fn retries(mut self, policy: RetryPolicy) -> Self {
        self.retries = policy;
        self
    }

    /// Sets the time that a child process has to end after its connection was [closed](super::Client::close); 4 seconds by default.
    /// In the first half it may react to the end of its input, and in the second half to SIGTERM. Then it is killed.
    #[must_use]
    pub fn close_timeout(mut self, timeout: Duration) -> Self {
        self.close_timeout = timeout;
        self
    }

    /// Sets the time limit of the handshake; 30 seconds by default.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// Sets the server's era of MCP. By default, a server over HTTP or in a child process is probed. A server over other byte
    /// streams is used in the era of `initialize`, because it could not be restarted if the probe ended it.
    #[must_use]
    pub fn era(mut self, choice: EraChoice) -> Self {
        self.era = Some(choice);
        self
    }
}

/// Returns the MGP extensions that a client implements without a handler or a request: all except code safety (§7), callbacks (§13.4) and
/// tool creation (§16.6).
fn offered() -> ExtensionSet {
    let missing = [Extension::CodeSafety, Extension::Callbacks, Extension::ToolCreation];
    Extension::ALL.into_iter().filter(|extension| !missing.contains(extension)).collect()
}

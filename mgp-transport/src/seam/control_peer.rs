//! A handle on a server that cannot run its tools.

use super::{CallError, Peer, Session};
use mgp_types::rpc::{Control, Method, Notice, RawParams, RawResult};

/// A handle on a server for everything but its tools: handshake, listing, health, permissions, lifecycle.
///
/// The kernel hands out this type wherever a [`Peer`] would bypass the pipeline. It sends only requests that implement
/// [`Control`], and `tools/call` does not.
///
/// ```compile_fail
/// # async fn f(peer: mgp_transport::seam::ControlPeer, params: mgp_types::mcp::CallToolParams) {
/// peer.request::<mgp_types::mcp::CallTool>(&params).await;
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ControlPeer(Peer);

impl ControlPeer {
    /// Narrows a peer to everything but calls of tools.
    #[must_use]
    pub fn new(peer: Peer) -> Self {
        Self(peer)
    }

    /// Sends a request and waits for its result.
    ///
    /// # Errors
    /// Returns the peer's own error, or the reason why no result was received.
    pub async fn request<C: Control>(&self, params: &C::Params) -> Result<C::Result, CallError> {
        let result = self.request_raw::<C>(params).await?;
        result.decode().map_err(|error| CallError::Result { method: C::METHOD, error })
    }

    /// Sends a request and waits for its result as text, for a caller that forwards it.
    ///
    /// # Errors
    /// Returns the peer's own error, or the reason why no result was received.
    pub async fn request_raw<C: Control>(&self, params: &C::Params) -> Result<RawResult, CallError> {
        // A type of another crate could name any method, so the name itself is checked too.
        if C::METHOD == "tools/call" {
            return Err(CallError::NotControl);
        }
        let params = RawParams::from_value(params).map_err(CallError::Params)?;
        self.0.request_raw(C::METHOD, params).await
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// Returns the reason why the notification could not be sent.
    pub async fn notify<N: Notice>(&self, params: &N::Params) -> Result<(), CallError> {
        let params = RawParams::from_value(params).map_err(CallError::Params)?;
        self.0.notify(Method::known(N::METHOD), params).await
    }

    /// Waits until everything is written, and over HTTP answered, or the connection is gone. Returns the number of notifications
    /// since the connection began that the server refused. Only HTTP counts them.
    pub async fn settled(&self) -> u64 {
        self.0.settled().await
    }

    /// Returns the session with the server.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.0.session()
    }

    /// Returns `true` if the server uses a stateless revision.
    #[must_use]
    pub fn is_stateless(&self) -> bool {
        self.0.envelope().is_some()
    }

    /// Returns `true` if the connection is gone.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Waits until the connection is gone.
    pub async fn closed(&self) {
        self.0.closed().await;
    }
}

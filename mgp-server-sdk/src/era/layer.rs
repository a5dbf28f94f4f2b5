//! The layer that serves the stateless revisions in addition to those with `initialize`.

use super::Eras;
use crate::handshake::Handshake;
use futures_util::future::BoxFuture;
use mgp_transport::seam::Session;
use mgp_types::{
    json::RawObject,
    mcp::{CacheHint, stateless::Completion},
};
use std::{fmt, sync::Arc};
use tower_layer::Layer;

/// The layer that adds the stateless revisions of MCP to a server. It wraps the gate of the handshake, and the lane.
///
/// A request that names a stateless revision in its `_meta` needs no `initialize`; everything else passes unchanged. On a
/// connection that was opened with `initialize`, it is refused: the request that opens a connection determines its era.
#[derive(Debug, Clone)]
pub struct ErasLayer {
    pub(super) says: Arc<Introduction>,
}

/// The server's description of itself.
#[derive(Debug)]
pub(super) struct Introduction {
    pub(super) handshake: Handshake,
    pub(super) of_client: Option<OfClient>,
    pub(super) completion: Completion,
    pub(super) hint: CacheHint,
}

impl ErasLayer {
    /// Creates the layer for a server with this description. `hint` is the time for which clients may cache the server's lists,
    /// its resources and its description, unless a result has its own hint.
    #[must_use]
    pub fn new(handshake: Handshake, hint: CacheHint) -> Self {
        let completion = Completion::new(&handshake.implementation);
        Self { says: Arc::new(Introduction { handshake, of_client: None, completion, hint }) }
    }

    /// Answers `server/discover` with a description that depends on the client.
    ///
    /// `describe` gets the session of the request.
    #[must_use]
    pub fn describe<F, D>(self, describe: F) -> Self
    where
        F: Fn(Option<Session>) -> D + Send + Sync + 'static,
        D: Future<Output = ClientDescription> + Send + 'static,
    {
        let of_client = Some(OfClient(Box::new(move |session| Box::pin(describe(session)))));
        let Introduction { handshake, completion, hint, .. } = &*self.says;
        let says = Introduction {
            handshake: handshake.clone(),
            of_client,
            completion: completion.clone(),
            hint: *hint,
        };
        Self { says: Arc::new(says) }
    }
}

/// The part of a server's description that depends on the client.
#[derive(Debug, Clone, Default)]
pub struct ClientDescription {
    /// The instructions, instead of those of the handshake.
    pub instructions: Option<String>,
    /// The settings of extensions by name, in addition to those of the handshake.
    pub extensions: RawObject,
}

/// A function that describes the server to one client.
pub(super) struct OfClient(
    pub(super) Box<dyn Fn(Option<Session>) -> BoxFuture<'static, ClientDescription> + Send + Sync>,
);

impl fmt::Debug for OfClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OfClient")
    }
}

impl<S> Layer<S> for ErasLayer {
    type Service = Eras<S>;

    fn layer(&self, inner: S) -> Eras<S> {
        Eras { inner, says: self.says.clone() }
    }
}

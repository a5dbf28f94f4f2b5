//! The layer that serves the stateless revisions beside those with `initialize`.

use super::Stateless;
use crate::handshake::Handshake;
use mgp_types::mcp::stateless::{CacheHint, Completion};
use std::sync::Arc;
use tower_layer::Layer;

/// Stands at the outside of a server's face, around the gate of the handshake, and around its lane.
///
/// A request that names a stateless revision in its `_meta` needs no `initialize`; everything else passes. On a connection
/// that `initialize` has opened, such a request is refused: who opens it chooses the era.
#[derive(Debug, Clone)]
pub struct StatelessLayer {
    pub(super) says: Arc<Says>,
}

/// What a server says of itself.
#[derive(Debug)]
pub(super) struct Says {
    pub(super) handshake: Handshake,
    pub(super) completion: Completion,
    pub(super) hint: CacheHint,
}

impl StatelessLayer {
    /// For a server that says this of itself. `hint` is how long its lists, its resources and what it says of itself may be kept,
    /// where a result does not say so itself.
    #[must_use]
    pub fn new(handshake: Handshake, hint: CacheHint) -> Self {
        let completion = Completion::new(&handshake.implementation);
        Self { says: Arc::new(Says { handshake, completion, hint }) }
    }
}

impl<S> Layer<S> for StatelessLayer {
    type Service = Stateless<S>;

    fn layer(&self, inner: S) -> Stateless<S> {
        Stateless { inner, says: self.says.clone() }
    }
}

//! The layers that a program adds to the pipeline of its kernel.

use mgp_transport::seam::{BoxPeerService, PeerService, boxed};
use std::{fmt, sync::Arc};
use tower_layer::Layer;

type Wrap = dyn Fn(BoxPeerService) -> BoxPeerService + Send + Sync;

/// The layers that a program adds to the pipeline, outermost first. Used as a layer, this type applies all of them.
#[derive(Clone, Default)]
pub(super) struct OwnGates(Vec<Arc<Wrap>>);

impl OwnGates {
    pub(super) fn push<L>(&mut self, layer: L)
    where
        L: Layer<BoxPeerService, Service: PeerService> + Send + Sync + 'static,
    {
        self.0.push(Arc::new(move |inner| boxed(layer.layer(inner))));
    }

    /// Returns the layers, or `None` if there are none, so that a kernel without them pays nothing for them.
    pub(super) fn some(self) -> Option<Self> {
        (!self.0.is_empty()).then_some(self)
    }
}

impl<S: PeerService> Layer<S> for OwnGates {
    type Service = BoxPeerService;

    fn layer(&self, inner: S) -> BoxPeerService {
        self.0.iter().rfold(boxed(inner), |inner, wrap| wrap(inner))
    }
}

impl fmt::Debug for OwnGates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnGates({})", self.0.len())
    }
}

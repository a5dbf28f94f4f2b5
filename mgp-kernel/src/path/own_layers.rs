//! The gates and layers that a program adds to the pipeline of its kernel.

use mgp_transport::seam::{BoxPeerService, PeerService, ToolCall, boxed};
use std::{fmt, sync::Arc};
use tower_layer::Layer;

type BoxCallService = BoxPeerService<ToolCall>;
type Wrap = dyn Fn(BoxCallService) -> BoxCallService + Send + Sync;

/// The gates and layers that a program adds to the pipeline, outermost first. As a layer, this type applies all of them.
#[derive(Clone, Default)]
pub(crate) struct OwnLayers(Vec<Arc<Wrap>>);

impl OwnLayers {
    pub(crate) fn push<L>(&mut self, layer: L)
    where
        L: Layer<BoxCallService, Service: PeerService<ToolCall>> + Send + Sync + 'static,
    {
        self.0.push(Arc::new(move |inner| boxed(layer.layer(inner))));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the layers, or `None` if there are none, so that a kernel without them has no overhead.
    pub(crate) fn some(self) -> Option<Self> {
        (!self.is_empty()).then_some(self)
    }
}

impl<S: PeerService<ToolCall>> Layer<S> for OwnLayers {
    type Service = BoxCallService;

    fn layer(&self, inner: S) -> BoxCallService {
        self.0.iter().rfold(boxed(inner), |inner, wrap| wrap(inner))
    }
}

impl fmt::Debug for OwnLayers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OwnLayers({})", self.0.len())
    }
}

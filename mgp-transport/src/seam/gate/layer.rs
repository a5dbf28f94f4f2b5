//! The layer that puts judges into a pipeline.

use super::{Gate, Judge};
use std::{fmt, sync::Arc};
use tower_layer::Layer;

/// The judges of a gate, outermost first.
pub(super) type Judges = Arc<[Arc<dyn Judge>]>;

/// The layer that puts [judges](Judge) into a pipeline.
///
/// Adjacent judges form one layer, so that a call is moved only once:
///
/// ```
/// use mgp_transport::seam::{Decision, GateLayer, ToolCall};
///
/// let gates = GateLayer::new(|_: &ToolCall| Decision::Allow).and(|_: &ToolCall| Decision::Allow);
/// # fn is_layer<L: tower::Layer<mgp_transport::seam::BoxPeerService<ToolCall>>>(_: L) {}
/// # is_layer(gates);
/// ```
#[derive(Clone)]
pub struct GateLayer {
    judges: Vec<Arc<dyn Judge>>,
}

impl GateLayer {
    /// Creates the layer of a judge.
    pub fn new(judge: impl Judge) -> Self {
        Self { judges: vec![Arc::new(judge)] }
    }

    /// Adds a judge, which decides on the calls that the judges before it allow.
    #[must_use]
    pub fn and(mut self, judge: impl Judge) -> Self {
        self.judges.push(Arc::new(judge));
        self
    }
}

impl<S> Layer<S> for GateLayer {
    type Service = Gate<S>;

    fn layer(&self, inner: S) -> Gate<S> {
        Gate { judges: self.judges.as_slice().into(), inner }
    }
}

impl fmt::Debug for GateLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GateLayer({})", self.judges.len())
    }
}

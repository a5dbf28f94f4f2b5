//! The layer that puts a judge into a pipeline.

use super::Gate;
use tower_layer::Layer;

/// The layer that puts a [`Judge`](super::Judge) into a pipeline.
#[derive(Debug, Clone, Copy, Default)]
pub struct GateLayer<J> {
    judge: J,
}

impl<J> GateLayer<J> {
    /// Creates the layer of a judge.
    pub const fn new(judge: J) -> Self {
        Self { judge }
    }
}

impl<J: Clone, S> Layer<S> for GateLayer<J> {
    type Service = Gate<J, S>;

    fn layer(&self, inner: S) -> Gate<J, S> {
        Gate { judge: self.judge.clone(), inner }
    }
}

//! The layer that calls another tool after a failure.

use super::service::Fallback;
use crate::catalog::tools::Tools;
use std::sync::Arc;
use tower_layer::Layer;

/// The layer that calls another tool if a call failed after its retries. It is outside the audit and every gate.
#[derive(Debug, Clone)]
pub(crate) struct FallbackLayer(pub(crate) Arc<Tools>);

impl<S: Clone> Layer<S> for FallbackLayer {
    type Service = Fallback<S>;

    fn layer(&self, inner: S) -> Fallback<S> {
        Fallback::new(inner, self.0.clone())
    }
}

//! The layer that answers dry runs.

use super::service::DryRuns;
use tower_layer::Layer;

/// The layer directly inside `resolve` that turns the outcome of a dry run into the answer. It is outside the layer that answers refusals, and
/// shows the latter's reports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DryRunsLayer;

impl<S> Layer<S> for DryRunsLayer {
    type Service = DryRuns<S>;

    fn layer(&self, inner: S) -> DryRuns<S> {
        DryRuns(inner)
    }
}

//! The layer that counts tool calls.

use super::{CallCounters, service::CountCalls};
use tower_layer::Layer;

/// The layer that counts each tool call at its end, and measures its duration. It is outside the audit, so that the duration
/// includes storing the call's event.
#[derive(Debug, Clone)]
pub(crate) struct CountCallsLayer {
    counters: CallCounters,
}

impl CountCallsLayer {
    /// Creates a layer that counts in `counters`.
    pub(crate) fn new(counters: CallCounters) -> Self {
        Self { counters }
    }
}

impl<S> Layer<S> for CountCallsLayer {
    type Service = CountCalls<S>;

    fn layer(&self, inner: S) -> CountCalls<S> {
        CountCalls { inner, counters: self.counters.clone() }
    }
}

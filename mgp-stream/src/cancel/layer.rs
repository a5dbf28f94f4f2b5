//! The layer that makes a handler obey its cancel token.

use super::Cancel;
use tower_layer::Layer;

/// Stands directly around the handler, or around dispatch to a server: once the call is cancelled it drops the handler
/// and answers with what was streamed so far.
///
/// It is the innermost layer, so that those around it run to their end and record a call that was cancelled. Only what
/// belongs to dispatch itself, such as retry, stands inside: a call that waits for its next attempt must be cancelled, too.
#[derive(Debug, Clone, Copy, Default)]
pub struct CancelLayer;

impl CancelLayer {
    /// The layer.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl<S> Layer<S> for CancelLayer {
    type Service = Cancel<S>;

    fn layer(&self, inner: S) -> Cancel<S> {
        Cancel::new(inner)
    }
}

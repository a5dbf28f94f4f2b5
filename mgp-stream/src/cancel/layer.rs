//! The layer that makes a handler obey its cancel token.

use super::Cancel;
use tower_layer::Layer;

/// The layer directly around the handler, or around dispatch to a server: once the call is cancelled, the layer drops the handler and
/// answers with the content streamed so far.
///
/// The layer is the innermost one, so the layers around it run to their end and record a call that was cancelled. Only the parts of dispatch
/// itself, such as retry, are inside it, because a call that waits for its next attempt must be cancellable, too.
#[derive(Debug, Clone, Copy, Default)]
pub struct CancelLayer;

impl CancelLayer {
    /// Creates the layer.
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

//! The hold of a request's service on its own end.

use super::CallStream;

/// The hold of a request's service, from [`CallStream::hold`]: as long as this value lives, the service ends a cancelled request by
/// itself.
#[derive(Debug)]
pub struct StreamHold(CallStream);

impl StreamHold {
    pub(super) const fn new(stream: CallStream) -> Self {
        Self(stream)
    }
}

impl Drop for StreamHold {
    fn drop(&mut self) {
        self.0.release();
    }
}

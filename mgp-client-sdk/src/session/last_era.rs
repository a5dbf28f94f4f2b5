//! The last known era of a server.

use super::Era;
use parking_lot::Mutex;

/// The last known era of a server, so that the server is not probed again when reconnecting.
#[derive(Debug, Default)]
pub struct LastEra(Mutex<Option<Era>>);

impl LastEra {
    /// Takes the era, which must be set again after a handshake.
    pub(super) fn take(&self) -> Option<Era> {
        self.0.lock().take()
    }

    pub(super) fn set(&self, era: Era) {
        *self.0.lock() = Some(era);
    }
}

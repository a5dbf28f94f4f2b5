//! The era in which a server was last spoken to.

use super::Era;
use parking_lot::Mutex;

/// The era in which a server was last spoken to, so that a server that is connected to again is not probed again.
#[derive(Debug, Default)]
pub(crate) struct LastEra(Mutex<Option<Era>>);

impl LastEra {
    /// Takes the era, which must be set again after a handshake.
    pub(super) fn take(&self) -> Option<Era> {
        self.0.lock().take()
    }

    pub(super) fn set(&self, era: Era) {
        *self.0.lock() = Some(era);
    }
}

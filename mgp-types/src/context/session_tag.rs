//! The mark of one session of a host.

use std::fmt;

/// The mark of one session of a host. It distinguishes tools that belong only to the session from those of others (§16.6). It names the
/// session within one process, and is never sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionTag([u8; 16]);

impl SessionTag {
    /// Creates the mark of the session that these bytes identify.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for SessionTag {
    /// Leaves out the bytes, which may be those of a session's handle.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionTag")
    }
}

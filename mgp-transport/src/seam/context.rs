//! What the connection tells every message's layers.

use super::{CancelToken, Peer};

/// What the connection puts into `Incoming.ext`: one entry, because each entry costs every call.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The side that sent the message, and the session that it came on.
    pub peer: Peer,
    /// What says that the caller no longer wants an answer.
    pub cancel: CancelToken,
}

//! The context that a connection gives the layers with every message.

use super::{CancelToken, Peer};

/// The context that the connection puts into `Incoming.ext`: a single entry, because each entry adds to the cost of every call.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The side that sent the message, and the session of the message.
    pub peer: Peer,
    /// The token that is cancelled when the caller no longer wants an answer.
    pub cancel: CancelToken,
}

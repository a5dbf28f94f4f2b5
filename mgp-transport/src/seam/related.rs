//! Which of our requests a message of the other side belongs to.

/// In the context of a message that came on the stream of one of our requests, which only transports with a stream for each
/// request can tell: the id of that request ([`Peer::start_as`](super::Peer::start_as)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelatedRequest(pub i64);

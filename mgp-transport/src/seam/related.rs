//! The request of this side that a message of the other side belongs to.

/// The id of the request ([`Peer::start_as`](super::Peer::start_as)) on whose stream a message arrived. It is in the message's
/// context if the transport has a stream for each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelatedRequest(pub i64);

//! The mark of a request that came over REST.

/// The mark of a request that came over REST, in its context. Its caller gets one answer: there is no session, and no route to a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestRequest;

//! The mark of a request that came over REST.

/// The mark of a request that came over REST, in its context. Its caller is a program with one answer, without a session or a route to a
/// resource: refusals are errors, whatever form the operator chose, because a result cannot be told from that of a tool that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestRequest;

//! The mark of a request over REST.

/// The mark of a request over REST, in its context. Its caller expects one answer, and has no session and no route to a resource.
/// Refusals are therefore always errors, because a refusal in a result would look like a failed tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestRequest;

//! The mark of a session whose principal is not authenticated.

/// The mark of a session whose principal is not authenticated. The principal then stands for every caller, so its data is not
/// private to any of them.
///
/// ```
/// use mgp_transport::seam::{Session, UnauthenticatedMark};
/// use mgp_types::context::Principal;
///
/// /// Returns the principal that is known to have opened a session.
/// fn known(session: &Session) -> Option<Principal> {
///     session.get::<Principal>().filter(|_| !session.has::<UnauthenticatedMark>())
/// }
///
/// let session = Session::new("s");
/// session.set(Principal::agent("local"));
/// assert!(known(&session).is_some());
/// session.set(UnauthenticatedMark);
/// assert!(known(&session).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnauthenticatedMark;

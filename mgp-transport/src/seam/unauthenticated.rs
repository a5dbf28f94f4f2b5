//! That a session's principal is a name for everybody.

/// Set in a session whose principal nobody authenticated: it stands for every caller, so what one of them has is not theirs
/// alone to see.
///
/// ```
/// use mgp_transport::seam::{Session, Unauthenticated};
/// use mgp_types::context::Principal;
///
/// /// Who is known to have opened a session.
/// fn known(session: &Session) -> Option<Principal> {
///     session.get::<Principal>().filter(|_| !session.has::<Unauthenticated>())
/// }
///
/// let session = Session::new("s");
/// session.set(Principal::agent("local"));
/// assert!(known(&session).is_some());
/// session.set(Unauthenticated);
/// assert!(known(&session).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unauthenticated;

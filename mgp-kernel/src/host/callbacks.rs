//! The hosts that answer callbacks (§13.4).

use crate::ground::round_host::RoundHost;
use mgp_transport::seam::Session;
use mgp_types::negotiation::{Extension, Negotiation};
use std::sync::Arc;

/// Returns whether the host of a session answers callbacks. A host of a stateless revision is asked in rounds
/// instead.
pub(crate) fn answers_callbacks(session: &Session) -> bool {
    let negotiated = session.get::<Negotiation>();
    !session.has::<Arc<dyn RoundHost>>()
        && negotiated.is_some_and(|negotiated| negotiated.has(Extension::Callbacks))
}

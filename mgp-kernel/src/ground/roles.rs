//! The roles of the principals of hosts.

use mgp_transport::seam::Peer;
use mgp_types::context::{ActorType, Principal};

/// Returns whether the principal of a host has the admin role.
pub(crate) fn is_of_admin(peer: &Peer) -> bool {
    peer.session().get::<Principal>().is_some_and(|principal| principal.is_admin())
}

/// Returns whether the principal of a host is an operator.
pub(crate) fn is_of_operator(peer: &Peer) -> bool {
    peer.session().get::<Principal>().is_some_and(|principal| principal.actor() == ActorType::Operator)
}

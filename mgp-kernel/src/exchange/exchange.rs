//! The exchange of messages between hosts and one server.

use super::{callers::Callers, url_elicitations::UrlElicitations};
use mgp_client_sdk::callbacks::CallbackAnswers;

/// The exchange of messages between hosts and one server, over all connections of the server.
#[derive(Debug, Default)]
pub(crate) struct Exchange {
    /// The calls in flight, with their hosts.
    pub(super) callers: Callers,
    /// The hosts that the server sent to a URL.
    pub(super) elicited: UrlElicitations,
    /// The refusals of the server's callbacks for which no host is asked.
    pub(super) callbacks: CallbackAnswers,
}

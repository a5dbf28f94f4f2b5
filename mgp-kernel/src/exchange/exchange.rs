//! The exchange of messages between hosts and one server.

use super::{callers::Callers, url_elicitations::UrlElicitations};
use crate::{features::tasks::TaskTable, upstream::Server};
use mgp_client_sdk::callbacks::CallbackAnswers;
use std::sync::{Arc, Weak};

/// The exchange of messages between hosts and one server, over all connections of the server.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// Weak, because the server holds its exchange.
    pub(super) server: Weak<Server>,
    /// The tasks of all servers.
    pub(super) tasks: Arc<TaskTable>,
    /// The calls in flight, with their hosts.
    pub(super) callers: Callers,
    /// The hosts that the server sent to a URL.
    pub(super) elicited: UrlElicitations,
    /// The refusals of the server's callbacks for which no host is asked.
    pub(super) callbacks: CallbackAnswers,
}

//! One call of a handler, from which extractors read.

use crate::{events::Events, notify::Notifier, seal::Seal};
use mgp_transport::seam::{Extensions, Incoming, Peer, Session};
use mgp_types::{json::RawJson, mcp::tasks::TaskForm};
use std::{fmt, sync::Arc, time::Duration};

/// One call of a handler: the message that caused it, and the arguments in it.
///
/// Extractors ([`FromCall`](crate::extract::FromCall)) read from it.
#[derive(Debug)]
pub struct Call {
    incoming: Incoming,
    arguments: Arguments,
    app: Arc<App>,
}

/// The arguments of a call.
#[derive(Debug)]
pub(crate) enum Arguments {
    /// The arguments of a tool; absent ones count as `{}`.
    Json(Option<RawJson>),
    /// The arguments of a prompt, a resource template or a completion: texts by name.
    Texts(Vec<(String, String)>),
}

/// The state that all handlers of a server share.
pub(crate) struct App {
    pub(crate) states: Extensions,
    pub(crate) notifier: Notifier,
    /// Publishes events, if the server has channels.
    pub(crate) events: Option<Events>,
    /// Seals the state that clients return between two rounds of input.
    pub(crate) seal: Seal,
    /// The time for which a checkpoint is valid.
    pub(crate) checkpoint_lifetime: Duration,
    /// The time for which the state of a session is valid.
    pub(crate) session_state_lifetime: Duration,
    /// The name of the logger in log messages.
    pub(crate) logger: String,
    /// True if the server offers its clients a log.
    pub(crate) logs: bool,
}

impl Call {
    pub(crate) fn new(incoming: Incoming, arguments: Arguments, app: Arc<App>) -> Self {
        Self { incoming, arguments, app }
    }

    /// The message: its id, its params as text, and the context that layers put into it.
    #[must_use]
    pub fn incoming(&self) -> &Incoming {
        &self.incoming
    }

    /// The side that called; `None` if the message was not received over a connection.
    #[must_use]
    pub fn peer(&self) -> Option<&Peer> {
        self.incoming.peer()
    }

    /// The session that the call was received on.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.incoming.session()
    }

    /// Stores a value in the call, for extractors to read.
    pub(crate) fn extend<T: Clone + Send + Sync + 'static>(&mut self, value: T) {
        self.incoming.ext.insert(value);
    }

    /// Returns the form of the task if the call started as one; `None` if it started as a plain call.
    pub(crate) fn task_form(&self) -> Option<TaskForm> {
        self.incoming.ext.get::<TaskForm>().copied()
    }

    pub(crate) fn arguments(&self) -> &Arguments {
        &self.arguments
    }

    pub(crate) fn app(&self) -> &App {
        &self.app
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("logger", &self.logger).finish_non_exhaustive()
    }
}

//! The exchange of messages between hosts and one server, as this room needs it.

use crate::ground::caller::{Caller, NoCaller};
use futures_core::future::BoxFuture;
use mgp_transport::seam::{BoxError, Incoming, Peer, Reply};
use mgp_types::{
    json::RawObject,
    rpc::{ErrorObject, RawParams, RawResult},
};
use std::{fmt, sync::Arc, time::Duration};

/// The time for which one host may delay a server, by not accepting a log message or another notification.
pub(crate) const LOG_TIMEOUT: Duration = Duration::from_secs(1);

/// A question of a server to a host.
#[derive(Debug)]
pub(crate) struct HostQuestion<'a> {
    /// The question's key, if the server chose one.
    pub(crate) key: Option<&'a str>,
    /// The time limit of the host's answer.
    pub(crate) limit: Duration,
    pub(crate) method: &'a str,
    pub(crate) params: RawParams,
}

/// The exchange of messages between hosts and one server. It lasts as long as the server, over all its connections.
pub(crate) trait ServerExchange: fmt::Debug + Send + Sync {
    /// Sends a host's request to the server, and returns the answer for the host.
    fn send(self: Arc<Self>, message: Incoming) -> BoxFuture<'static, Result<Reply, BoxError>>;

    /// Asks a host a question of the server.
    ///
    /// # Errors
    /// The error for the server: the reason why the host was not asked, or the host's own error.
    fn ask<'a>(
        &'a self,
        caller: &'a Caller,
        question: HostQuestion<'a>,
    ) -> BoxFuture<'a, Result<RawResult, ErrorObject>>;

    /// Answers a request of the server by asking the host of its call. `outside` returns the host that answers a request outside of a call.
    fn answer<'a>(
        &'a self,
        message: Incoming,
        outside: &'a (dyn Fn() -> Option<Caller> + Send + Sync),
    ) -> BoxFuture<'a, Result<RawResult, ErrorObject>>;

    /// Handles a callback (§13.4) that the server sent outside of its answer to a request.
    fn callback<'a>(&'a self, message: &'a Incoming) -> BoxFuture<'a, ()>;

    /// Notifies the host that was sent to a URL that its user is done there, even if its call has ended.
    fn elicitation_complete<'a>(&'a self, params: &'a RawObject) -> BoxFuture<'a, ()>;

    /// Returns the host of the call whose stream carried a message. For a message outside of such streams, returns the only host with calls in
    /// flight.
    ///
    /// # Errors
    /// The reason why there is no such host.
    fn caller(&self, message: &Incoming) -> Result<Caller, NoCaller>;

    /// Returns the hosts with calls in flight, except other kernels.
    fn hosts(&self) -> Vec<Peer>;

    /// Returns whether no call is in flight.
    fn is_idle(&self) -> bool;
}

//! The observer of servers.

use super::{Link, ListedTool, Server, channels::StarAnswer};
use crate::ground::changes::Change;
use async_trait::async_trait;
use futures_core::future::BoxFuture;
use mgp_lifecycle::health::ProbeMethod;
use mgp_transport::seam::Incoming;
use mgp_types::{
    events::SubscribeParams,
    rpc::{ErrorObject, RawResult},
};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The observer of a kernel's servers, through which the rooms above take part in their lives.
#[async_trait]
pub(crate) trait ServerObserver: Send + Sync {
    /// Applies a server's new list of tools.
    async fn tools_listed(&self, server: &Arc<Server>);

    /// Applies the kept listings of servers that have not started yet.
    async fn tools_recalled(&self, servers: &[Arc<Server>]);

    /// Returns whether these tools of a server are applied already, and their definitions are pinned.
    fn has_tools(&self, server: &Arc<Server>, tools: &[ListedTool]) -> bool;

    /// Notifies the hosts of a change of offers.
    fn offers_changed(&self, change: Change);

    /// Notes that the operator stopped a server, or started it again.
    fn set_stopped(&self, server: &Server, is_stopped: bool);

    /// Handles a server whose lists are known, before its state shows that it is connected.
    fn listed(&self, server: &Server);

    /// Handles a server that has just connected.
    async fn connected(&self, server: &Server);

    /// Announces to a server its permissions that wait for an operator, and later the decisions (§3.5, §3.6). Returns at once, with a
    /// receiver that ends when the questions are open.
    fn announce_permissions(&self, server: &Arc<Server>, link: &Arc<Link>) -> oneshot::Receiver<()>;

    /// Runs for as long as a server is connected. Returns only if the connection cannot go on.
    async fn while_connected(&self, server: &Server, link: &Link, method: ProbeMethod);

    /// Answers a request that a server sends on its own initiative. The future does not hold the observer, because a host may take long to answer.
    fn request(
        &self,
        server: &Arc<Server>,
        message: Incoming,
    ) -> BoxFuture<'static, Result<RawResult, ErrorObject>>;

    /// Handles a notification of a server that concerns hosts.
    async fn notification(&self, server: &Arc<Server>, message: &Incoming);

    /// Notifies the hosts that watch a resource of a server that the resource has changed.
    async fn resource_updated(&self, server: &Server, uri: &str);

    /// Returns the kernel's subscription to a server's events; `None` if no host wants them.
    fn wanted_events(&self, server: &Server, star: StarAnswer) -> Option<SubscribeParams>;

    /// Returns whether a host has subscribed to events of a server, which keeps the server awake.
    fn keeps_awake(&self, server: &Server) -> bool;

    /// Returns the server's own ids of the tasks that hosts are subscribed to: the latest, if there are too many for the server.
    fn wanted_tasks(&self, server: &Arc<Server>) -> Vec<String>;

    /// Returns whether a server is running a task.
    fn runs_task(&self, server: &Arc<Server>) -> bool;
}

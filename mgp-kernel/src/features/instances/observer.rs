//! The observer of instances.

use crate::{
    ground::changes::Change,
    upstream::{Link, ListedTool, Server, ServerObserver, StarAnswer},
};
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

/// The observer of instances, which handles their messages like those of their servers. What an instance lists is not used.
pub(super) struct InstanceObserver(pub(super) Arc<dyn ServerObserver>);

#[async_trait]
impl ServerObserver for InstanceObserver {
    async fn tools_listed(&self, _: &Arc<Server>) {}

    async fn tools_recalled(&self, _: &[Arc<Server>]) {}

    fn has_tools(&self, _: &Arc<Server>, _: &[ListedTool]) -> bool {
        true
    }

    fn offers_changed(&self, _: Change) {}

    fn set_stopped(&self, _: &Server, _: bool) {}

    fn listed(&self, _: &Server) {}

    async fn connected(&self, server: &Server) {
        self.0.connected(server).await;
    }

    fn announce_permissions(&self, server: &Arc<Server>, link: &Arc<Link>) -> oneshot::Receiver<()> {
        self.0.announce_permissions(server, link)
    }

    async fn while_connected(&self, _: &Server, _: &Link, _: ProbeMethod) {
        std::future::pending::<()>().await;
    }

    fn request(
        &self,
        server: &Arc<Server>,
        message: Incoming,
    ) -> BoxFuture<'static, Result<RawResult, ErrorObject>> {
        self.0.request(server, message)
    }

    async fn notification(&self, server: &Arc<Server>, message: &Incoming) {
        self.0.notification(server, message).await;
    }

    async fn resource_updated(&self, server: &Server, uri: &str) {
        self.0.resource_updated(server, uri).await;
    }

    fn wanted_events(&self, _: &Server, _: StarAnswer) -> Option<SubscribeParams> {
        None
    }

    fn keeps_awake(&self, _: &Server) -> bool {
        false
    }

    fn wanted_tasks(&self, server: &Arc<Server>) -> Vec<String> {
        self.0.wanted_tasks(server)
    }

    fn runs_task(&self, server: &Arc<Server>) -> bool {
        self.0.runs_task(server)
    }
}

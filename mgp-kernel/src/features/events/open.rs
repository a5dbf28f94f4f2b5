//! Opens subscriptions of hosts.

use super::KernelEvents;
use crate::{
    ground::own_channel::OwnChannel,
    upstream::{Link, Server, servers::Servers},
};
use futures_util::future::join_all;
use mgp_server_sdk::era;
use mgp_stream::events::{self, EventSource, OpenedEvents, check_params, resolve};
use mgp_transport::seam::{Incoming, Routes, Visibility};
use mgp_types::{events::SubscribeParams, negotiation::Extension, rpc::ErrorObject};
use std::{collections::BTreeSet, sync::Arc};

/// The channels of a kernel that hosts subscribe to.
#[derive(Debug, Clone)]
pub(crate) struct HostChannels {
    pub(crate) servers: Arc<Servers>,
    pub(crate) events: KernelEvents,
}

/// Returns the methods.
pub(crate) fn routes() -> Routes<HostChannels> {
    events::routes(era::has_session)
}

impl EventSource for HostChannels {
    /// Opens a subscription for the caller of a message. It includes channels of servers that are added later, or that the caller may
    /// only use later.
    async fn open(&self, message: &Incoming, params: SubscribeParams) -> Result<OpenedEvents, ErrorObject> {
        check_params(&params)?;
        let Self { servers, events } = self;
        let principal = message.caller()?;
        servers.first_starts().await;
        let subscription = events.hub.subscribe(params.clone(), Some(principal.clone()));
        let view = events.access.view(&principal);
        let takes = |server: &&Arc<Server>| {
            params.filter.as_ref().is_none_or(|filter| filter.passes_server(Some(server.id())))
                && view.sees_server(server.id())
                && events.wants(server.id())
        };
        let servers: Vec<_> = servers.load().iter().filter(takes).cloned().collect();
        let listed = join_all(servers.iter().map(|server| listed(server))).await;
        let own = OwnChannel::ALL.into_iter().filter(|channel| channel.is_for(&principal));
        let mut channels: BTreeSet<&str> = own.map(OwnChannel::as_str).collect();
        channels.extend(listed.iter().flat_map(|channels| channels.iter().map(String::as_str)));
        let (subscribed, unsupported) = resolve(&params.channels, &channels.into_iter().collect::<Vec<_>>());
        Ok(OpenedEvents { subscribed, unsupported, subscription })
    }
}

/// Returns the channels of a server, waiting for its list if it is connected and has events.
async fn listed(server: &Server) -> Arc<[String]> {
    let Some(link) = server.link().filter(|link| has_events(link)) else { return Arc::default() };
    server.watched().ring();
    server.channels.listed(link.control().closed()).await
}

/// Returns whether a server has events.
fn has_events(link: &Link) -> bool {
    link.negotiated.as_ref().is_some_and(|negotiated| negotiated.has(Extension::Events))
}

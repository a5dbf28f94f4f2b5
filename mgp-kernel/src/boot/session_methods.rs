//! The methods of a host's session after its handshake: its log level, its roots, and its subscriptions to changes.

use crate::{
    exchange::roots,
    features::{
        events::HostChannels,
        resources::ResourceMethods,
        tasks::{self, TaskTable},
    },
    ground::trail::Trail,
    host::Hosts,
};
use futures_util::future::join_all;
use mgp_server_sdk::{era, logging, notify};
use mgp_stream::events::EventSource;
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes, Session, Visibility};
use mgp_types::{
    events::SubscribeParams,
    mcp::{
        Initialized, Listen, MgpFilter, RootsListChanged, SetLevel,
        tasks::{ClientTasks, extension::tasks_not_declared},
    },
    negotiation::{Extension, Negotiation},
};
use std::sync::Arc;

/// The handles of the methods of a host's session.
pub(super) struct SessionMethods {
    pub(super) resources: ResourceMethods,
    pub(super) channels: HostChannels,
    pub(super) tasks: Arc<TaskTable>,
    pub(super) hosts: Hosts,
    pub(super) trail: Arc<Trail>,
}

/// Returns the methods of a host's session.
pub(super) fn routes() -> Routes<Arc<SessionMethods>> {
    Routes::new()
        .route(SetLevel, Role::Anyone, set_log_level)
        .route(Listen, Role::Anyone, listen)
        .notice(Initialized, async |methods: Arc<SessionMethods>, message| {
            if let Some(peer) = message.peer() {
                methods.hosts.add(peer);
            }
            let servers = methods.channels.servers.all();
            join_all(servers.iter().map(|server| roots::offer(&methods.hosts, server))).await;
        })
        .notice(RootsListChanged, roots_changed)
}

/// Sets the log level of a host, and passes the level on to the servers whose logs the host may see.
async fn set_log_level(methods: Arc<SessionMethods>, message: Incoming) -> Result<Reply, RouteError> {
    let reply = logging::set(&message)?;
    let principal = message.caller()?;
    methods.channels.events.log_to(&message, &principal);
    if let Some(level) = message.session().and_then(logging::asked_for) {
        let servers = methods.resources.forwarder.visible(&principal);
        let told = servers
            .iter()
            .filter_map(|server| Some((server, server.link()?)))
            .map(async |(server, link)| link.log_from(server.id(), level).await);
        join_all(told).await;
    }
    Ok(reply)
}

/// Answers `subscriptions/listen` when the subscription ends.
async fn listen(methods: Arc<SessionMethods>, message: Incoming) -> Result<Reply, RouteError> {
    methods.channels.servers.first_lists().await;
    let (principal, resources) = (message.caller()?, &methods.resources);
    let mut filter = notify::asked_for(&message)?;
    // As with `mgp/audit/replay`, the trail requires the admin role.
    let hears_audit = principal.is_admin() && methods.trail.log.is_some();
    let (mut events, mut subscription) = (filter.mgp.as_mut().and_then(|mgp| mgp.events.take()), None);
    filter.mgp = filter.mgp.map(|mgp| MgpFilter { audit: mgp.audit && hears_audit, ..mgp });
    filter.mgp = filter.mgp.filter(|mgp| mgp.audit || mgp.lifecycle);
    if principal.is_delegated() {
        // Later notifications only check the rights of the session, so the subscription is limited to the rights of the
        // whole chain.
        filter.mgp = None;
        filter.resource_subscriptions.retain(|uri| resources.may_watch(&principal, uri));
    }
    if !filter.task_ids.is_empty() && era::tasks_of(message.session()) == ClientTasks::Undeclared {
        return Err(tasks_not_declared().into());
    }
    let negotiated = message.session().and_then(Session::get::<Negotiation>);
    if !negotiated.is_some_and(|negotiated| negotiated.has(Extension::Events)) {
        events = None;
    }
    if let Some(asked) = events {
        // These subscriptions check the rights of the request's principal, and thus of the whole chain.
        let opened = methods.channels.open(&message, asked.clone()).await?;
        let accepted = SubscribeParams { channels: opened.subscribed, ..asked };
        filter.mgp.get_or_insert_default().events = Some(accepted);
        subscription = Some(opened.subscription);
    }
    let _listened = tasks::listen(
        &methods.tasks,
        &methods.resources.forwarder.rights.access,
        &principal,
        &mut filter.task_ids,
    );
    let _watching = resources.watch_while(&principal, &filter.resource_subscriptions)?;
    Ok(methods.hosts.listen(&message, filter, subscription).await)
}

async fn roots_changed(methods: Arc<SessionMethods>, message: Incoming) {
    let Ok(principal) = message.caller() else { return };
    let view = methods.resources.forwarder.rights.access.view(&principal);
    for server in methods.channels.servers.all().iter().filter(|server| roots::may_use(&*view, server)) {
        // A server that may not request roots was not notified that there are any.
        let Some(link) = server.link().filter(|_| roots::may_ask(server)) else { continue };
        if let Err(error) = link.roots_changed().await {
            tracing::debug!(server = server.id(), %error, "was not notified that the roots changed");
        }
    }
}

//! Subscriptions of clients to the changes of a server.

use crate::{Notifier, notify, task::Tasks};
use mgp_stream::events::{EventChannels, EventSource, EventSubscription};
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes};
use mgp_types::{
    events::SubscribeParams,
    mcp::{Initialized, Listen, MgpFilter},
    negotiation::Extension,
    rpc::ErrorObject,
};

/// The changes that a server announces to its clients.
#[derive(Debug, Clone)]
pub(crate) struct ChangeSource {
    pub(crate) notifier: Notifier,
    /// The tasks of the server, if a tool can run as one.
    pub(crate) tasks: Option<Tasks>,
    /// The channels of the server, if it has any.
    pub(crate) channels: Option<EventChannels>,
    pub(crate) has_tools: bool,
    pub(crate) has_resources: bool,
    pub(crate) has_prompts: bool,
}

impl ChangeSource {
    /// Returns `notifications/initialized`, and `subscriptions/listen` if the server has anything that may change.
    pub(crate) fn routes(self) -> Routes {
        // Tasks count as part of the tools.
        let announces = self.has_tools || self.has_resources || self.has_prompts || self.channels.is_some();
        let routes = Routes::new().notice(Initialized, async |listening: Self, message| {
            if let Some(peer) = message.peer() {
                listening.notifier.join(peer);
            }
        });
        let routes = if announces { routes.route(Listen, Role::Anyone, Self::listen) } else { routes };
        routes.with_state(self)
    }

    /// Answers `subscriptions/listen` with the part of the client's filter that the server supports.
    async fn listen(self, message: Incoming) -> Result<Reply, RouteError> {
        let mut filter = notify::asked_for(&message)?;
        filter.tools_list_changed &= self.has_tools;
        filter.prompts_list_changed &= self.has_prompts;
        filter.resources_list_changed &= self.has_resources;
        let (mgp, events) = self.of_mgp(filter.mgp.take(), &message).await?;
        filter.mgp = mgp;
        let Self { notifier, tasks, .. } = self;
        match &tasks {
            None => filter.task_ids.clear(),
            Some(tasks) => tasks.hears(&message, &mut filter).await?,
        }
        // A subscription does not keep the server's tasks alive.
        drop(tasks);
        Ok(notifier.listen(&message, filter, events).await)
    }

    /// Returns the MGP part of the filter, for a client that negotiated it, with the subscription to events.
    async fn of_mgp(
        &self,
        asked: Option<MgpFilter>,
        message: &Incoming,
    ) -> Result<(Option<MgpFilter>, Option<EventSubscription>), ErrorObject> {
        let Some((asked, session)) = asked.zip(message.session()) else { return Ok((None, None)) };
        let lifecycle = asked.lifecycle && notify::has(session, Extension::Lifecycle);
        let mut told = MgpFilter { lifecycle, ..MgpFilter::default() };
        let mut subscription = None;
        let channels = self.channels.as_ref().filter(|_| notify::has(session, Extension::Events));
        if let Some((channels, events)) = channels.zip(asked.events) {
            let opened = channels.open(message, events.clone()).await?;
            told.events = Some(SubscribeParams { channels: opened.subscribed, ..events });
            subscription = Some(opened.subscription);
        }
        Ok((Some(told).filter(|told| *told != MgpFilter::default()), subscription))
    }
}

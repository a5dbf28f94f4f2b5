//! The clients of a server that hear of its changes.

use crate::{Notifier, notify, task::Tasks};
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes};
use mgp_types::mcp::{Initialized, Listen, MgpFilter, SubscriptionFilter};

/// The changes that a server announces to its clients.
#[derive(Debug, Clone)]
pub(crate) struct ChangeSource {
    pub(crate) notifier: Notifier,
    /// The tasks of the server, if a tool can run as one.
    pub(crate) tasks: Option<Tasks>,
    pub(crate) has_tools: bool,
    pub(crate) has_resources: bool,
    pub(crate) has_prompts: bool,
}

impl ChangeSource {
    /// Returns `notifications/initialized` and, for a server that has anything whose changes it announces, `subscriptions/listen`.
    pub(crate) fn routes(self) -> Routes {
        // Tasks count as part of the tools.
        let announces = self.has_tools || self.has_resources || self.has_prompts;
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
        filter.mgp = mgp_filter(&filter, &message);
        let Self { notifier, tasks, .. } = self;
        match &tasks {
            None => filter.task_ids.clear(),
            Some(tasks) => tasks.hears(&message, &mut filter).await?,
        }
        // A listening request does not keep the server's tasks alive.
        drop(tasks);
        Ok(notifier.listen(&message, filter).await)
    }
}

/// §11.2 Returns the part of the filter that is MGP's own, for a client that negotiated it.
fn mgp_filter(filter: &SubscriptionFilter, message: &Incoming) -> Option<MgpFilter> {
    let asked = filter.mgp.as_ref().is_some_and(|mgp| mgp.lifecycle);
    let told = asked && message.session().is_some_and(notify::has_lifecycle);
    told.then(|| MgpFilter { lifecycle: true, ..MgpFilter::default() })
}

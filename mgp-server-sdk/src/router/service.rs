//! The one router of a server, keyed by method.

use super::{Pages, Work, future::RouterFuture};
use crate::{
    Notifier,
    handshake::Handshake,
    logging, notify,
    resource::Resources,
    task::{self, Tasks},
};
use futures_util::FutureExt;
use mgp_lifecycle::{gate::Lifecycle, health::HealthService, shutdown::ShutdownService};
use mgp_transport::seam::{BoxError, Incoming, Reply, Session};
use mgp_types::{
    lifecycle::{CheckHealth, HealthPing, Shutdown},
    mcp::{
        CallTool, Complete, GetPrompt, Initialize, Initialized, ListPrompts, ListResourceTemplates,
        ListResources, ListTools, Listen, MgpFilter, Ping, ProtocolVersion, ReadResource, SetLevel,
        SubscribeResource, SubscriptionFilter, UnsubscribeResource,
    },
    negotiation::{Extension, Negotiated},
    rpc::{Call, Empty, ErrorObject, Notice},
};
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// Routes each message to the part of the server that answers it.
#[derive(Debug, Clone)]
pub(crate) struct Router {
    pub(crate) serves: Arc<Serves>,
    pub(crate) work: Lifecycle<Work>,
    pub(crate) health: HealthService,
    pub(crate) shutdown: ShutdownService,
}

/// The answers of a server that need no handler. An area that is `None` is one that the server does not have.
#[derive(Debug)]
pub(crate) struct Serves {
    pub(crate) handshake: Handshake,
    pub(crate) notifier: Notifier,
    pub(crate) tools: Option<ToolPages>,
    /// The tasks of the server, if a tool can run as one.
    pub(crate) tasks: Option<Tasks>,
    pub(crate) resources: Option<(Pages, Pages)>,
    pub(crate) subscriptions: Arc<Resources>,
    pub(crate) prompts: Option<Pages>,
    pub(crate) completions: bool,
    pub(crate) logging: bool,
}

/// The list of tools, for the revision that shows whether a tool runs as a task and for the others.
#[derive(Debug)]
pub(crate) struct ToolPages {
    pub(crate) with_tasks: ToolLists,
    pub(crate) without_tasks: ToolLists,
}

/// The list of tools, with §4.3's metadata and without.
#[derive(Debug)]
pub(crate) struct ToolLists {
    pub(crate) with_security: Pages,
    pub(crate) plain: Pages,
}

impl Serves {
    fn answer(&self, incoming: &Incoming) -> Result<Reply, ErrorObject> {
        let params = &incoming.params;
        match &*incoming.method {
            Initialize::METHOD => Ok(self.handshake.answer(incoming)),
            Ping::METHOD => Ok(Reply::from_value(&Empty::default())),
            ListTools::METHOD => self.tools(incoming)?.answer(params),
            ListResources::METHOD => area(&self.resources, incoming)?.0.answer(params),
            ListResourceTemplates::METHOD => area(&self.resources, incoming)?.1.answer(params),
            SubscribeResource::METHOD if self.resources.is_some() => self.subscriptions.subscribe(incoming),
            UnsubscribeResource::METHOD if self.resources.is_some() => {
                self.subscriptions.unsubscribe(incoming)
            }
            ListPrompts::METHOD => area(&self.prompts, incoming)?.answer(params),
            SetLevel::METHOD if self.logging => logging::set(incoming),
            other => Err(ErrorObject::method_not_found(other)),
        }
    }

    fn tools(&self, incoming: &Incoming) -> Result<&Pages, ErrorObject> {
        let pages = area(&self.tools, incoming)?;
        let revision = incoming.session().and_then(Session::get::<ProtocolVersion>);
        let pages = match revision {
            Some(ProtocolVersion::V2025_11_25) => &pages.with_tasks,
            _ => &pages.without_tasks,
        };
        let negotiated = incoming.session().and_then(Session::get::<Negotiated>);
        let security = negotiated.is_some_and(|negotiated| negotiated.has(Extension::Security));
        Ok(if security { &pages.with_security } else { &pages.plain })
    }

    /// Returns `true` if a method runs a handler that the server has.
    fn runs(&self, method: &str) -> bool {
        match method {
            CallTool::METHOD => self.tools.is_some(),
            ReadResource::METHOD => self.resources.is_some(),
            GetPrompt::METHOD => self.prompts.is_some(),
            Complete::METHOD => self.completions,
            _ => false,
        }
    }

    /// Returns `true` if the server has anything whose changes it announces. Tasks count as part of the tools.
    fn tells_changes(&self) -> bool {
        self.tools.is_some() || self.resources.is_some() || self.prompts.is_some()
    }

    /// Answers `subscriptions/listen` with the part of the client's filter that the server supports.
    fn listen<W>(&self, incoming: &Incoming) -> RouterFuture<W> {
        match notify::asked_for(incoming) {
            Ok(mut filter) => {
                filter.tools_list_changed &= self.tools.is_some();
                filter.prompts_list_changed &= self.prompts.is_some();
                filter.resources_list_changed &= self.resources.is_some();
                filter.mgp = Self::mgp_filter(&filter, incoming);
                let (tasks, notifier, incoming) =
                    (self.tasks.clone(), self.notifier.clone(), incoming.clone());
                let listening = async move {
                    match &tasks {
                        None => filter.task_ids.clear(),
                        Some(tasks) => {
                            if let Err(error) = tasks.hears(&incoming, &mut filter).await {
                                return Ok(Reply::error(error));
                            }
                        }
                    }
                    // A listening request does not keep the server's tasks alive.
                    drop(tasks);
                    Ok(notifier.listen(&incoming, filter).await)
                };
                RouterFuture::Boxed { future: listening.boxed() }
            }
            Err(error) => RouterFuture::Done { reply: Some(Reply::error(error)) },
        }
    }

    /// §11.2 Returns the part of the filter that is MGP's own, for a client that negotiated it.
    fn mgp_filter(filter: &SubscriptionFilter, incoming: &Incoming) -> Option<MgpFilter> {
        let asked = filter.mgp.as_ref().is_some_and(|mgp| mgp.lifecycle);
        let told = asked && incoming.session().is_some_and(notify::has_lifecycle);
        told.then(|| MgpFilter { lifecycle: true, ..MgpFilter::default() })
    }

    fn notified(&self, incoming: &Incoming) {
        if incoming.method == *Initialized::METHOD
            && let Some(peer) = incoming.peer()
        {
            self.notifier.join(peer);
        }
    }
}

fn area<'a, T>(area: &'a Option<T>, incoming: &Incoming) -> Result<&'a T, ErrorObject> {
    area.as_ref().ok_or_else(|| ErrorObject::method_not_found(&incoming.method))
}

impl Service<Incoming> for Router {
    type Response = Reply;
    type Error = BoxError;
    type Future = RouterFuture<<Lifecycle<Work> as Service<Incoming>>::Future>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        // Everything below is always ready.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        if incoming.is_notification() {
            self.serves.notified(&incoming);
            return RouterFuture::Done { reply: Some(Reply::none()) };
        }
        if self.serves.runs(&incoming.method) {
            return RouterFuture::Work { future: self.work.call(incoming) };
        }
        match &*incoming.method {
            CheckHealth::METHOD | HealthPing::METHOD => {
                RouterFuture::Boxed { future: self.health.call(incoming) }
            }
            Listen::METHOD if self.serves.tells_changes() => self.serves.listen(&incoming),
            method if task::is_of_tasks(method) => match &self.serves.tasks {
                Some(tasks) => RouterFuture::Boxed { future: tasks.answer(incoming).map(Ok).boxed() },
                None => {
                    let error = ErrorObject::method_not_found(&incoming.method);
                    RouterFuture::Done { reply: Some(Reply::error(error)) }
                }
            },
            Shutdown::METHOD => RouterFuture::Boxed { future: self.shutdown.call(incoming).boxed() },
            _ => {
                let reply = self.serves.answer(&incoming).unwrap_or_else(Reply::error);
                RouterFuture::Done { reply: Some(reply) }
            }
        }
    }
}

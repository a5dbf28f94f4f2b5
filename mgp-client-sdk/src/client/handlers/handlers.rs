//! The table of handlers.

use super::{answer::IntoAnswer, callback::CallbackHandler, defaults};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_transport::seam::{BoxError, Notification};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{ClientCapabilities, Elicit, ElicitParams, ElicitResult, LogMessageParams},
    negotiation::{Extension, ExtensionSet},
    rpc::{Call, ErrorObject, RawParams, RawResult},
};
use serde::Serialize;
use std::{fmt, future::Future, sync::Arc};

/// A handler of one method.
pub(super) type RequestHandler =
    Arc<dyn Fn(RawParams) -> BoxFuture<'static, Result<RawResult, ErrorObject>> + Send + Sync>;
/// A handler of notifications.
pub(super) type NotificationHandler = Arc<dyn Fn(Notification) -> BoxFuture<'static, ()> + Send + Sync>;
/// A handler of lines of the server's log.
pub(super) type LogHandler = Arc<dyn Fn(LogMessageParams) -> BoxFuture<'static, ()> + Send + Sync>;

/// The handlers of a client, for requests, notifications and log lines of the server.
#[derive(Clone, Default)]
pub(in crate::client) struct Handlers {
    requests: Vec<(&'static str, RequestHandler)>,
    /// The capabilities that the client declares because it has a handler: an area, and its settings.
    areas: Vec<(&'static str, RawObject)>,
    pub(super) on_notification: Option<NotificationHandler>,
    pub(super) on_log: Option<LogHandler>,
    pub(super) on_callback: Option<CallbackHandler>,
}

impl Handlers {
    /// Returns the handler of a method.
    pub(super) fn get(&self, method: &str) -> Option<RequestHandler> {
        self.requests.iter().find(|(known, _)| *known == method).map(|(_, handler)| handler.clone())
    }

    /// Sets the handler of a method, replacing an earlier one.
    pub(super) fn set<C, F, Fut>(&mut self, handler: F)
    where
        C: Call,
        F: Fn(C::Params) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<C::Result>> + Send + 'static,
    {
        self.insert(C::METHOD, move |params| {
            let answering = params.decode().map(&handler);
            async move { write(C::METHOD, answering?.await.into_answer()) }.boxed()
        });
    }

    /// Sets the handler of elicitation, for the modes that the handler supports.
    pub(super) fn set_elicit<P, F, Fut>(&mut self, handler: F)
    where
        P: TryFrom<Elicitation, Error = ErrorObject>,
        F: Fn(P) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoAnswer<ElicitResult>> + Send + 'static,
    {
        self.insert(Elicit::METHOD, move |params| {
            let asked = params.decode::<ElicitParams>();
            let form = match &asked {
                Ok(ElicitParams::Form(form)) => Some(form.clone()),
                _ => None,
            };
            let answering = asked.and_then(|asked| P::try_from(Elicitation(asked))).map(&handler);
            async move {
                let answer = answering?.await.into_answer();
                write(
                    Elicit::METHOD,
                    answer.map(|answer| match &form {
                        Some(form) => defaults::fill(form, answer),
                        None => answer,
                    }),
                )
            }
            .boxed()
        });
    }

    fn insert(
        &mut self,
        method: &'static str,
        handler: impl Fn(RawParams) -> BoxFuture<'static, Result<RawResult, ErrorObject>> + Send + Sync + 'static,
    ) {
        self.requests.retain(|(known, _)| *known != method);
        self.requests.push((method, Arc::new(handler)));
    }

    /// Declares a capability of the client.
    pub(super) fn declare(&mut self, area: &'static str, settings: RawObject) {
        self.areas.retain(|(known, _)| *known != area);
        self.areas.push((area, settings));
    }

    /// Returns the MGP extensions to offer, with those of the handlers added.
    pub(in crate::client) fn add_extensions(&self, mut offered: ExtensionSet) -> ExtensionSet {
        if self.on_callback.is_some() {
            offered.insert(Extension::Callbacks);
        }
        offered
    }

    /// Returns the capabilities with those of the handlers added. Explicitly set capabilities stay.
    pub(in crate::client) fn add_to(&self, mut capabilities: ClientCapabilities) -> ClientCapabilities {
        for (area, settings) in &self.areas {
            if capabilities.0.get(area).is_none() {
                capabilities.0.insert(area, settings.to_json());
            }
        }
        capabilities
    }
}

/// The params of an elicitation, which a handler's parameter is converted from.
pub(super) struct Elicitation(pub(super) ElicitParams);

fn write<T: Serialize>(method: &str, answer: Result<T, BoxError>) -> Result<RawResult, ErrorObject> {
    let failed =
        |error: &dyn fmt::Display| ErrorObject::internal(format!("failed to answer {method}: {error}"));
    match answer {
        Ok(answer) => RawJson::from_value(&answer).map_err(|error| failed(&error)),
        Err(error) => Err(match error.downcast::<ErrorObject>() {
            Ok(own) => *own,
            Err(error) => failed(&error),
        }),
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let methods: Vec<_> = self.requests.iter().map(|(method, _)| method).collect();
        f.debug_struct("Handlers").field("methods", &methods).finish_non_exhaustive()
    }
}

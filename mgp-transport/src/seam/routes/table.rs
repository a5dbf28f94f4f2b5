//! The table of a section's methods.

use super::{
    Role, RouteError,
    route::{Route, RouteFuture},
};
use crate::seam::{BoxError, Incoming, PeerService, Reply};
use futures_util::future::{FutureExt, Map, TryFutureExt, ready};
use mgp_types::{
    context::Principal,
    rpc::{Call, ErrorObject, Lane, Notice},
};
use std::{
    collections::HashMap,
    fmt,
    sync::Arc,
    task::{Context, Poll},
};
use tower::ServiceExt;
use tower_service::Service;

/// The methods of a section: their handlers and callers, keyed by method. `S` is the state that handlers get.
///
/// A section offers its methods as `routes()`, and a kernel or a server mounts them with [`merge`](Self::merge), without listing
/// their names. With a state, they are a tower service. Clones are cheap.
///
/// ```
/// use mgp_transport::seam::{BoxError, Incoming, Reply, Role, Routes};
/// use mgp_types::{json::RawJson, mcp::Ping};
/// use tower::ServiceExt;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// let routes = Routes::new().route(Ping, Role::Anyone, async |pong: &'static str, _| {
///     Ok(Reply::ok(RawJson::string(pong)))
/// });
/// let reply = routes.with_state("pong").oneshot(Incoming::request(1, "ping", RawJson::empty_object())).await?;
/// assert_eq!(reply.result().map(RawJson::as_str), Some("\"pong\""));
/// # Ok(()) }
/// ```
pub struct Routes<S = ()>(Arc<HashMap<&'static str, Route<S>>>);

impl<S: Send + 'static> Routes<S> {
    /// Creates a table without methods.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a request, whose handler gets its caller and its params.
    #[must_use]
    pub fn typed<C: Call, F>(
        self,
        call: C,
        role: Role,
        handler: impl Fn(S, Principal, C::Params) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<C::Result, ErrorObject>> + Send + 'static,
    {
        self.route(call, role, move |state, message| {
            let read = message.caller().and_then(|caller| Ok((caller, message.params.decode()?)));
            let answering = read.map(|(caller, params)| handler(state, caller, params));
            async move { Ok(Reply::from_value(&answering?.await?)) }
        })
    }

    /// Adds a request, whose handler gets the message.
    #[must_use]
    pub fn route<C: Call, F>(
        self,
        _: C,
        role: Role,
        handler: impl Fn(S, Incoming) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Reply, RouteError>> + Send + 'static,
    {
        let handler = Arc::new(move |state, message| handler(state, message).boxed());
        self.insert(C::METHOD, Route { role, is_notification: false, handler })
    }

    /// Adds a notification, which gets no answer.
    #[must_use]
    pub fn notice<N: Notice, F>(
        self,
        _: N,
        handler: impl Fn(S, Incoming) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let handler = Arc::new(move |state, message| {
            let handled = handler(state, message);
            handled.map(|()| Ok(Reply::none())).boxed()
        });
        self.insert(N::METHOD, Route { role: Role::Anyone, is_notification: true, handler })
    }

    fn insert(mut self, method: &'static str, route: Route<S>) -> Self {
        Arc::make_mut(&mut self.0).insert(method, route);
        self
    }

    /// Adds the methods of another section. If both have a method, that of `other` wins.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        Arc::make_mut(&mut self.0).extend(Arc::unwrap_or_clone(other.0));
        self
    }

    /// Returns the methods of one lane.
    #[must_use]
    pub fn of_lane(mut self, lane: Lane) -> Self {
        Arc::make_mut(&mut self.0).retain(|method, _| Lane::of(method) == lane);
        self
    }

    /// Returns the same methods for another state, from which `state_of` derives the state that the handlers get.
    #[must_use]
    pub fn map_state<T: Send + 'static>(
        self,
        state_of: impl Fn(&T, &Incoming) -> Result<S, RouteError> + Clone + Send + Sync + 'static,
    ) -> Routes<T> {
        let mapped = self.0.iter().map(|(method, Route { role, is_notification, handler })| {
            let (handler, state_of) = (handler.clone(), state_of.clone());
            let handler = Arc::new(move |state: T, message| match state_of(&state, &message) {
                Ok(state) => handler(state, message),
                Err(error) => ready(Err(error)).boxed(),
            });
            (*method, Route { role: *role, is_notification: *is_notification, handler })
        });
        Routes(Arc::new(mapped.collect()))
    }

    /// Returns the same methods with a fixed state.
    #[must_use]
    pub fn with_state<T: Send + 'static>(self, state: S) -> Routes<T>
    where
        S: Clone + Sync,
    {
        self.map_state(move |_, _| Ok(state.clone()))
    }

    /// Returns the same methods, answered by a service, for example one with limits around these handlers.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "a service is handed over, as to a layer")]
    pub fn through<T: Send + 'static>(&self, service: impl PeerService) -> Routes<T> {
        let through = self.0.iter().map(|(method, Route { role, is_notification, .. })| {
            let service = service.clone();
            let handler = Arc::new(move |_: T, message| {
                let answered = service.clone().oneshot(message);
                answered.map_err(|error| RouteError::Failure(error.into())).boxed()
            });
            (*method, Route { role: *role, is_notification: *is_notification, handler })
        });
        Routes(Arc::new(through.collect()))
    }

    /// Returns the methods, in no particular order.
    pub fn methods(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }

    /// Returns whether a request of this method has a handler here.
    #[must_use]
    pub fn answers(&self, method: &str) -> bool {
        self.0.get(method).is_some_and(|route| !route.is_notification)
    }

    /// Answers a message. A request of another section's method is answered with -32601, and a notification is ignored.
    pub fn answer(&self, state: S, message: Incoming) -> RouteFuture {
        let route = self.0.get(&*message.method);
        match route.filter(|route| route.is_notification == message.is_notification()) {
            Some(route) => match route.role.check(&message) {
                Ok(()) => (route.handler)(state, message),
                Err(error) => ready(Err(error.into())).boxed(),
            },
            None if message.is_notification() => ready(Ok(Reply::none())).boxed(),
            None => ready(Ok(Reply::error(ErrorObject::method_not_found(&message.method)))).boxed(),
        }
    }
}

impl<S> Default for Routes<S> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<S> Clone for Routes<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S> fmt::Debug for Routes<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Service<Incoming> for Routes {
    type Response = Reply;
    type Error = BoxError;
    type Future = Map<RouteFuture, fn(Result<Reply, RouteError>) -> Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        let unrecorded: fn(_) -> _ =
            |answered: Result<_, RouteError>| answered.or_else(RouteError::unrecorded);
        self.answer((), message).map(unrecorded)
    }
}

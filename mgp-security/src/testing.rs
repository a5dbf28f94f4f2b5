//! Test support for every gate: a tool call with its context, and an inner service that counts the calls that reach it.

use crate::profile::{ConfiguredTool, ToolFacts, ToolProfile, assess};
use mgp_transport::{
    connection::Connection,
    memory,
    seam::{BoxError, CallContext, CallRecord, CancelToken, Incoming, Reply, ToolCall},
};
use mgp_types::{
    context::{Principal, Target, ToolId, TrustLevel},
    json::RawJson,
    mcp::Tool,
    rpc::RawParams,
};
use std::{
    future::{Ready, ready},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Waker},
};
use tower_service::Service;

/// Answers everything with the same reply, and counts the calls.
#[derive(Clone)]
pub(crate) struct Inner {
    pub(crate) calls: Arc<AtomicUsize>,
    reply: Reply,
}

impl Inner {
    pub(crate) fn new() -> Self {
        Self::answering(r#"{"content":[]}"#)
    }

    pub(crate) fn answering(result: &'static str) -> Self {
        Self { calls: Arc::default(), reply: Reply::ok(RawJson::parse(result).unwrap()) }
    }

    pub(crate) fn reached(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl<R> Service<R> for Inner {
    type Response = Reply;
    type Error = BoxError;
    type Future = Ready<Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: R) -> Self::Future {
        self.calls.fetch_add(1, Ordering::SeqCst);
        ready(Ok(self.reply.clone()))
    }
}

/// A future that a test polls by hand.
pub(crate) struct Task<F>(Pin<Box<F>>);

impl<F: Future> Task<F> {
    pub(crate) fn new(future: F) -> Self {
        Self(Box::pin(future))
    }

    pub(crate) fn poll(&mut self) -> Poll<F::Output> {
        self.0.as_mut().poll(&mut Context::from_waker(Waker::noop()))
    }
}

/// A tool call, as the layers and the gates get it.
pub(crate) struct TestCall {
    pub(crate) call: ToolCall<()>,
    pub(crate) principal: Principal,
    pub(crate) record: CallRecord,
}

impl TestCall {
    /// Creates a `tools/call` of the tool `t` of the server `s`.
    pub(crate) fn new(params: &str) -> Self {
        let params = RawParams::from(RawJson::parse(params.to_owned()).unwrap());
        let target = Target { tool: ToolId::new("s", "t"), called_as: "t".into() };
        let call = ToolCall::new(1, params, target, Arc::new(plain_profile()));
        Self { record: call.record.clone(), principal: Principal::agent("unknown"), call }
    }

    pub(crate) fn profile(mut self, profile: ToolProfile) -> Self {
        self.call.profile = Arc::new(profile);
        self
    }

    pub(crate) fn principal(mut self, id: &str) -> Self {
        self.principal = Principal::agent(id);
        self
    }

    /// Puts the call on a session with a principal, or on one without. Needs a runtime.
    pub(crate) fn on_session(mut self, principal: Option<Principal>, cancel: &CancelToken) -> Self {
        self.call.ext.insert(context(principal, cancel));
        self
    }

    /// Returns the call as the gates get it.
    pub(crate) fn identified(self) -> ToolCall {
        self.call.identified(self.principal)
    }
}

/// Returns the context of a message on a session with a principal, or on one without. Needs a runtime.
pub(crate) fn context(principal: Option<Principal>, cancel: &CancelToken) -> CallContext {
    let (here, _there) = memory::pair();
    let connection = Connection::builder(Inner::new()).over(here.0, here.1);
    let peer = connection.peer().clone();
    if let Some(principal) = principal {
        peer.session().set(principal);
    }
    CallContext { peer, cancel: cancel.clone() }
}

/// Returns the profile of a harmless tool.
pub(crate) fn plain_profile() -> ToolProfile {
    let tool = Tool::new("t", RawJson::empty_object());
    assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &ConfiguredTool::default()))
}

/// Returns a message that is not a tool call.
pub(crate) fn other_message() -> Incoming {
    Incoming::request(1, "tools/list", RawParams::none())
}

/// Returns the code of an error reply.
pub(crate) fn code(reply: &Reply) -> Option<i64> {
    reply.as_error().map(|error| error.code)
}

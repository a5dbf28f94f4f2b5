//! `tools/call`: finds the tool and runs its function.

use super::{
    CheckArguments, ToolLayer,
    as_task::{self, TaskBeginning},
};
use crate::{
    ToolError,
    asking::RunOutcome,
    call::{App, Arguments, Call},
    checkpoint::CheckpointSlot,
    handler::{BoxHandler, RunningHandler},
    session_state::SessionStateSlot,
    task::{NewTask, Plan, Tasks},
};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_stream::sink::CallStream;
use mgp_transport::seam::{BoxError, BoxPeerService, Incoming, Reply, ResponseFuture, Session, boxed};
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{CallToolResult, tasks::TaskSupport},
    negotiation::Negotiation,
    printable::quoted,
    rpc::ErrorObject,
};
use std::{
    collections::BTreeMap,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tower::{ServiceExt, util::Oneshot};
use tower_service::Service;

/// A tool that can be called.
pub(crate) struct RegisteredTool {
    pub(crate) handler: Arc<BoxHandler<CallToolResult>>,
    pub(crate) task: TaskSupport,
    pub(crate) arguments: CheckArguments,
    /// True if the handler decides when its call becomes a task.
    pub(crate) starts_task: bool,
    /// True if the handler saves checkpoints.
    pub(crate) saves_checkpoints: bool,
    /// True if the handler sets the state of sessions.
    pub(crate) keeps_session_state: bool,
    #[cfg(feature = "http")]
    pub(crate) in_headers: mgp_transport::http::server::AnnotatedArguments,
}

/// The tools of a server by name.
type Tools = BTreeMap<Box<str>, Route>;

/// The route to a tool: directly to its handler, or through its layers.
enum Route {
    Straight(RegisteredTool),
    Layered(BoxPeerService),
}

/// The service that runs tools: the innermost service of `tools/call`.
#[derive(Clone)]
pub(crate) struct CallTools {
    tools: Arc<Tools>,
    app: Arc<App>,
    /// The tasks of the server, if a tool can run as one.
    tasks: Option<Tasks>,
}

/// The future of a call that [`CallTools`] does not answer at once.
pub(crate) enum CallFuture {
    Running {
        running: RunningHandler<CallToolResult>,
        mgp: bool,
        stream: Option<CallStream>,
        checkpoint: Option<CheckpointSlot>,
        session_state: Option<SessionStateSlot>,
        begins: Option<Box<TaskBeginning>>,
    },
    Becoming(BoxFuture<'static, Reply>),
    Layered(Oneshot<BoxPeerService, Incoming>),
}

/// The response future of [`CallTools`].
type ToolFuture = ResponseFuture<CallFuture, BoxError>;

impl CallTools {
    pub(crate) fn new(
        tools: BTreeMap<Box<str>, (RegisteredTool, Vec<ToolLayer>)>,
        app: &Arc<App>,
        tasks: Option<&Tasks>,
    ) -> Self {
        let of = |tools| Self { tools: Arc::new(tools), app: app.clone(), tasks: tasks.cloned() };
        let route = |(name, (tool, layers)): (Box<str>, (RegisteredTool, Vec<ToolLayer>))| {
            let straight = Route::Straight(tool);
            if layers.is_empty() {
                return (name, straight);
            }
            let alone = of(BTreeMap::from([(name.clone(), straight)]));
            (name, Route::Layered(layers.into_iter().fold(boxed(alone), |inner, layer| layer(inner))))
        };
        of(tools.into_iter().map(route).collect())
    }

    fn start(&self, mut incoming: Incoming) -> Result<ToolFuture, ErrorObject> {
        let params = incoming.params.object()?;
        let (name, tool) = match self.find(params)? {
            (name, Route::Straight(tool)) => (name, tool),
            (_, Route::Layered(service)) => {
                let layered = CallFuture::Layered(service.clone().oneshot(incoming));
                return Ok(ResponseFuture::passing(layered));
            }
        };
        let arguments = params.get("arguments");
        // Some clients send the object as text.
        let arguments = arguments.and_then(RawJson::object_in_text).or_else(|| arguments.cloned());
        #[cfg(feature = "http")]
        tool.in_headers.check(&incoming, arguments.as_ref())?;
        let planned = match &self.tasks {
            None => None,
            Some(tasks) => {
                let plan = Plan::of(tool.task, tool.starts_task, incoming.session(), params)?;
                Some((tasks, plan))
            }
        };
        if let Err(invalid) = tool.arguments.check(arguments.as_ref()) {
            return refused(invalid, planned.map(|(_, plan)| plan));
        }
        let arguments = Arguments::Json(arguments);
        // At this point it is known whether MGP was negotiated, and that does not change.
        let mgp = incoming.session().is_some_and(Session::has::<Negotiation>);
        let new = |form, ttl| NewTask::of(&incoming, name, form, ttl);
        let begins = match planned {
            None | Some((_, Plan::Answer)) => None,
            Some((tasks, Plan::AtOnce { form, ttl })) => {
                let new = new(form, ttl);
                let (app, call) = (self.app.clone(), (incoming, arguments));
                let task = as_task::at_once(tasks, tool, new, call, app, mgp);
                return Ok(ResponseFuture::waiting(task.map(Ok)));
            }
            Some((tasks, Plan::WhenBegun { form })) => {
                let new = new(form, None);
                Some(Box::new(TaskBeginning::prepare(tasks, new, &mut incoming)))
            }
        };
        let stream = incoming.ext.get::<CallStream>().cloned();
        let checkpoint = tool.saves_checkpoints.then(CheckpointSlot::default);
        if let Some(slot) = &checkpoint {
            incoming.ext.insert(slot.clone());
        }
        let session_state = tool.keeps_session_state.then(SessionStateSlot::default);
        if let Some(slot) = &session_state {
            incoming.ext.insert(slot.clone());
        }
        let running = tool.handler.start(Call::new(incoming, arguments, self.app.clone()));
        Ok(ResponseFuture::passing(CallFuture::Running {
            running,
            mgp,
            stream,
            checkpoint,
            session_state,
            begins,
        }))
    }

    fn find(&self, params: &RawObject) -> Result<(&str, &Route), ErrorObject> {
        let name = params.get("name").ok_or_else(|| {
            ErrorObject::invalid_params("invalid params: missing name: expected the name of a tool")
        })?;
        // A name without escapes is looked up without a copy.
        if let Some(plain) = name.as_plain_text() {
            return self.named(plain).ok_or_else(|| unknown(plain));
        }
        let name = name.to_text().ok_or_else(|| {
            let kind = name.kind_without_text();
            ErrorObject::invalid_params(format!("invalid params: name: expected a string, found {kind}"))
        })?;
        self.named(&name).ok_or_else(|| unknown(&name))
    }

    fn named(&self, name: &str) -> Option<(&str, &Route)> {
        self.tools.get_key_value(name).map(|(name, tool)| (&**name, tool))
    }
}

/// Returns the answer to a call whose arguments do not fit: a text for the model. A client that asked for a task gets an error
/// instead, because it would not read the text.
fn refused(invalid: ToolError, plan: Option<Plan>) -> Result<ToolFuture, ErrorObject> {
    if let Some(Plan::AtOnce { form, .. }) = plan
        && form.is_by_client()
    {
        return Err(invalid.into_error());
    }
    let result = invalid.into_tool_result()?;
    Ok(ResponseFuture::answered(Reply::from_value(&result)))
}

fn unknown(name: &str) -> ErrorObject {
    ErrorCode::ToolNotFound.error(format!("unknown tool: {}", quoted(name)))
}

/// §12.5 Adds a summary of the stream to a result, if the call was streamed and the handler did not add one itself.
fn summarized(mut result: CallToolResult, stream: Option<&CallStream>) -> CallToolResult {
    let Some(stream) = stream.filter(|stream| stream.chunks_sent() > 0) else { return result };
    let mut mgp = result.mgp.take().unwrap_or_default();
    if mgp.get("streamed").is_none()
        && let Ok(summary) = RawJson::from_value(&stream.summary())
        && let Ok(summary) = RawObject::from_json(&summary)
    {
        for (key, value) in summary.iter() {
            mgp.insert_named(key, value.clone());
        }
    }
    result.mgp = Some(mgp);
    result
}

/// §2.4 Removes the members of MGP, for a plain MCP peer.
pub(super) fn plain(mut result: CallToolResult) -> CallToolResult {
    result.mgp = None;
    if let Some(meta) = &mut result.meta
        && meta.remove("mgp").is_some()
        && meta.is_empty()
    {
        result.meta = None;
    }
    result
}

impl Service<Incoming> for CallTools {
    type Response = Reply;
    type Error = BoxError;
    type Future = ToolFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> ToolFuture {
        if incoming.is_notification() {
            return ResponseFuture::answered(Reply::none());
        }
        self.start(incoming).unwrap_or_else(|error| ResponseFuture::answered(Reply::error(error)))
    }
}

impl Future for CallFuture {
    type Output = Result<Reply, BoxError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Self::Running { running, mgp, stream, checkpoint, session_state, begins } = &mut *self {
            // Register the waker first: the request for a task may come from a task that the handler has spawned.
            if let Some(begins) = begins.as_deref() {
                begins.slot().wakes(cx.waker());
            }
            if let Poll::Ready(answered) = Pin::new(&mut *running).poll(cx) {
                let slots = (checkpoint.as_ref(), session_state.as_ref());
                return Poll::Ready(Ok(replied(answered, *mgp, stream.as_ref(), slots)));
            }
            let Some(begins) = begins.take_if(|begins| begins.slot().is_wanted()) else {
                return Poll::Pending;
            };
            let becoming = begins.begin(running.take_work(), *mgp);
            *self = Self::Becoming(becoming);
        }
        match &mut *self {
            Self::Becoming(becoming) => becoming.as_mut().poll(cx).map(Ok),
            Self::Layered(call) => Pin::new(call).poll(cx),
            Self::Running { .. } => Poll::Pending,
        }
    }
}

fn replied(
    answered: Result<RunOutcome<CallToolResult>, ToolError>,
    mgp: bool,
    stream: Option<&CallStream>,
    (checkpoint, session_state): (Option<&CheckpointSlot>, Option<&SessionStateSlot>),
) -> Reply {
    let mut result = match answered {
        Ok(RunOutcome::Asks(required)) => return Reply::ok(required.to_json()),
        Ok(RunOutcome::Done(result)) => Ok(result),
        Err(error) => error.into_tool_result(),
    };
    if let (Ok(result), Some(checkpoint)) = (&mut result, checkpoint) {
        checkpoint.put(result);
    }
    if let (Ok(result), Some(session_state)) = (&mut result, session_state) {
        session_state.put(result);
    }
    match result {
        Ok(result) if mgp => Reply::from_value(&summarized(result, stream)),
        Ok(result) => Reply::from_value(&plain(result)),
        Err(error) => Reply::error(error),
    }
}

impl fmt::Debug for CallTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallTools").field("tools", &self.tools.len()).finish_non_exhaustive()
    }
}

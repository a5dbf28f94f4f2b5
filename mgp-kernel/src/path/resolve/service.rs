//! The service that finds the tool of a call.

use super::check_params;
use crate::{
    catalog::{
        tool_index::{may_name_session, session_tag, take_session},
        tools::{ToolEntry, Tools},
    },
    ground::{request_head::refuse_method, trace::RequestSpan, trail::Trail},
    upstream::servers::Servers,
};
use futures_util::future::Either;
use mgp_lifecycle::transaction::CompensationMark;
use mgp_toolindex::meta_tools::{self, MetaCall, MetaRequest, OwnCall, OwnRequest};
use mgp_transport::seam::{Incoming, Reply, ResponseFuture, ToolCall};
use mgp_types::{
    call_options::{CallOptions, DryRunForm},
    context::{Target, ToolId},
    intent::Intent,
    json::{JsonError, RawJson, RawObject},
    mcp::CallTool,
    proposals,
    rpc::{Call, ErrorObject, RequestId},
    tool_index::MetaTool,
    tool_security::ToolProfile,
    transaction::{STEP_ID, TRANSACTION_ID},
};
use std::{
    borrow::Cow,
    future::poll_fn,
    sync::{Arc, LazyLock},
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// The service directly inside the trace. It unwraps `mgp_tools_call`, finds the server and the tool, and turns the message into a
/// [`ToolCall`], or a dry run for a request to check a call. Every other message goes to the service `methods` and bypasses all gates.
#[derive(Debug, Clone)]
pub(crate) struct Resolve<M, S> {
    pub(super) inner: S,
    pub(super) methods: M,
    pub(super) tools: Arc<Tools>,
    pub(super) servers: Arc<Servers>,
    pub(super) trail: Arc<Trail>,
}

/// The tool in `tools/call`.
enum CallName {
    /// A server's tool or an unknown tool.
    Tool(CalledTool),
    /// A tool of the kernel's own.
    Own(Box<OwnCall>),
}

/// A call of a server's tool or of an unknown tool, as its caller states it.
struct CalledTool {
    intent: Option<Intent>,
    options: Option<Box<CallOptions>>,
}

/// Parses the name and the options in a call, and unwraps a call through `mgp_tools_call`.
///
/// # Errors
/// [`UnresolvedCall`] for a call without a usable name.
fn read(message: &mut Incoming, form: Option<DryRunForm>) -> Result<CallName, UnresolvedCall> {
    // Done before anything judges the arguments: they must be an object, and some hosts send its text.
    if let Some(arguments) = message.params.object()?.get("arguments").and_then(RawJson::object_in_text) {
        let mut params = std::mem::take(&mut message.params).into_object()?;
        params.insert("arguments", arguments);
        message.params = params.into();
    }
    if message.params.object().is_ok_and(proposals::may_have_members) {
        let mut params = std::mem::take(&mut message.params).into_object()?;
        proposals::unify(&mut params)?;
        message.params = params.into();
    }
    let params = message.params.object()?;
    let name = name_of(params)?;
    let mut unwrapped = None;
    let mut options: Option<Box<CallOptions>> = None;
    if form.is_some() {
        options.get_or_insert_default().dry_run = form;
    }
    match own_call(&name, params)? {
        Some(MetaCall::Own(mut call)) => {
            if let MetaRequest::Request(request) = &mut call.wanted {
                *request = std::mem::take(request).or_intent(params)?;
            }
            return Ok(CallName::Own(Box::new(call)));
        }
        Some(MetaCall::Call(call)) => {
            // Members other than arguments (`_meta`, `_mgp`) are the caller's statements about the inner call.
            let mut inner = params.clone();
            inner.insert("name", RawJson::string(call.name.as_str()));
            match call.arguments {
                Some(arguments) => inner.insert("arguments", arguments),
                None => inner.remove("arguments"),
            };
            if let Some(key) = call.idempotency {
                key.write(&mut inner);
            }
            let intent = call.intent.as_ref().map(Intent::as_str);
            let of_meta = [
                (Intent::MEMBER, intent),
                (TRANSACTION_ID, call.transaction.as_deref()),
                (STEP_ID, call.step.as_deref()),
            ];
            for (key, value) in of_meta {
                if let Some(value) = value {
                    inner.edit("_meta", |meta| {
                        meta.insert(key, RawJson::string(value));
                        true
                    });
                }
            }
            let wrapped = CallOptions::NONE.wrapped(call.keep_result.as_ref(), call.refs.as_ref())?;
            let options = options.insert(Box::new(wrapped));
            // If a method requests a dry run, that method's answer is expected.
            options.dry_run = form.or(call.dry_run.then_some(DryRunForm::MetaTool));
            options.session = call.session;
            unwrapped = Some(inner);
        }
        None => {}
    }
    if let Some(inner) = unwrapped {
        message.params = inner.into();
        // These headers repeat the arguments of the outer call.
        #[cfg(feature = "http")]
        mgp_transport::http::server::ParamHeaders::remove(&mut message.ext);
    }
    if message.params.object().is_ok_and(may_name_session) {
        let mut params = std::mem::take(&mut message.params).into_object()?;
        let handle = take_session(&mut params);
        message.params = params.into();
        if let Some(handle) = handle {
            options.get_or_insert_default().session.get_or_insert(handle);
        }
    }
    if message.params.object().is_ok_and(CallOptions::may_stand_in) {
        let mut params = std::mem::take(&mut message.params).into_object()?;
        options.get_or_insert_default().take(&mut params)?;
        message.params = params.into();
    }
    // Some servers fail on a call without arguments, which MCP allows. A question about permissions has none.
    let has_arguments =
        message.params.object()?.get("arguments").is_some_and(|arguments| !arguments.is_null());
    if !has_arguments && options.as_ref().is_none_or(|options| options.judges_arguments(None)) {
        let mut params = std::mem::take(&mut message.params).into_object()?;
        params.insert("arguments", RawJson::empty_object());
        message.params = params.into();
    }
    let intent = Intent::of_params(message.params.object()?)?;
    Ok(CallName::Tool(CalledTool { intent, options }))
}

/// Returns the name in a call that [`read`] has accepted.
fn called_as(message: &Incoming) -> Option<Cow<'_, str>> {
    name_of(message.params.object().ok()?).ok()
}

/// Finds the tool of a call. A tool of another session is unknown. A call of a tool of its own session is marked as such.
fn look_up(tools: &Tools, message: &Incoming, called: &mut CalledTool) -> Option<Arc<ToolEntry>> {
    let table = tools.load();
    let entry = match CompensationMark::of(message).map(CompensationMark::tool) {
        Some(id) => table.names.named(id).and_then(|_| table.entry(id)).cloned()?,
        None => table.resolve(&called_as(message)?).cloned()?,
    };
    if let Some(session) = entry.server.spec.session {
        let handle = called.options.as_ref().and_then(|options| options.session.as_deref());
        session_tag(tools, message.session()?, handle).filter(|of_call| *of_call == session)?;
        called.options.get_or_insert_default().tool_session = Some(session);
    }
    Some(entry)
}

/// Turns a message into a call. A call without an entry is refused by [`Existence`](super::Existence), once its caller is
/// known.
fn tool_call(
    id: RequestId,
    message: Incoming,
    CalledTool { intent, options }: CalledTool,
    entry: Option<Arc<ToolEntry>>,
) -> ToolCall<()> {
    static NO_TOOL: LazyLock<Arc<ToolProfile>> = LazyLock::new(|| Arc::new(ToolProfile::of_no_tool()));
    let name = called_as(&message).unwrap_or_default();
    let (target, profile) = match &entry {
        Some(entry) => (entry.target(&name), entry.profile.clone()),
        None => {
            let called_as: Arc<str> = name.into();
            let target = Target { tool: ToolId::new("", called_as.clone()), called_as };
            (Arc::new(target), NO_TOOL.clone())
        }
    };
    let (trace, span) = (message.trace().cloned(), RequestSpan::of(&message).cloned());
    let mut call = ToolCall::new(id, message.params, target, profile);
    call.trace = trace;
    call.ext = message.ext;
    call.set_options(options);
    call.record.update(|record| {
        record.trace.clone_from(&call.trace);
        record.intent = intent;
    });
    if let Some(span) = span {
        span.calls(&call);
    }
    call.route = entry.map(|entry| entry as _);
    call
}

/// A call without a usable name.
struct UnresolvedCall {
    error: ErrorObject,
    /// The kernel's own tool with the invalid arguments.
    tool: Option<MetaTool>,
}

impl From<ErrorObject> for UnresolvedCall {
    fn from(error: ErrorObject) -> Self {
        Self { error, tool: None }
    }
}

impl From<JsonError> for UnresolvedCall {
    fn from(error: JsonError) -> Self {
        ErrorObject::from(error).into()
    }
}

/// Refuses a call without a usable name, and records the refusal. Invalid arguments of one of the kernel's own tools are answered
/// with a result, because models read results.
async fn refuse(trail: Arc<Trail>, message: Incoming, unresolved: UnresolvedCall) -> Reply {
    let UnresolvedCall { error, tool } = unresolved;
    let as_errors = message.is_rest();
    let reply = refuse_method(&trail, &message, error.clone()).await;
    match tool {
        Some(tool)
            if !as_errors && let Some(told) = reply.as_error().filter(|told| told.code == error.code) =>
        {
            Reply::from_value(&meta_tools::wrong_arguments(tool, told))
        }
        _ => reply,
    }
}

/// Parses a call of one of the kernel's own tools; `None` if the name is of another tool, or unknown.
fn own_call(name: &str, params: &RawObject) -> Result<Option<MetaCall>, UnresolvedCall> {
    match (meta_tools::parse(name, params.get("arguments")), name.parse()) {
        (Some(Ok(call)), _) => Ok(Some(call)),
        (Some(Err(error)), Ok(tool)) => Err(UnresolvedCall { error, tool: Some(tool) }),
        (Some(Err(_)) | None, _) => Ok(None),
    }
}

/// Returns the name in a call, borrowed if possible.
fn name_of(params: &RawObject) -> Result<Cow<'_, str>, ErrorObject> {
    let value = params
        .get("name")
        .ok_or_else(|| ErrorObject::invalid_params("missing name: expected a tool's name"))?;
    let name = value.as_plain_text().map(Cow::Borrowed).or_else(|| value.to_text().map(Cow::Owned));
    let name = name.ok_or_else(|| {
        ErrorObject::invalid_params(format!(
            "invalid name: expected a string, found {}",
            value.kind_without_text()
        ))
    })?;
    if name.len() > MAX_NAME {
        let length = name.len();
        return Err(ErrorObject::invalid_params(format!(
            "invalid name: expected at most {MAX_NAME} bytes, found {length}"
        )));
    }
    Ok(name)
}

/// The maximum length of a tool's name, in bytes. Names are stored in the audit trail.
const MAX_NAME: usize = 1024;

impl<M, S> Service<Incoming> for Resolve<M, S>
where
    M: Service<Incoming, Response = Reply, Error = S::Error>,
    S: Service<ToolCall<()>, Response = Reply, Error: Send, Future: Send> + Clone + Send + 'static,
{
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<Either<S::Future, M::Future>, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        ready!(self.methods.poll_ready(cx))?;
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        let form = DryRunForm::of(&message.method);
        if form.is_none() && message.method != CallTool::METHOD {
            return ResponseFuture::passing(Either::Right(self.methods.call(message)));
        }
        let Some(id) = message.id.clone() else {
            // A call as a notification could not be answered.
            let error = ErrorObject::invalid_request("a call came as a notification: expected a request");
            let refused = refuse(self.trail.clone(), message, error.into());
            return ResponseFuture::waiting(async {
                refused.await;
                Ok(Reply::none())
            });
        };
        let unified = form.map_or(Ok(()), |_| check_params::unify(&mut message));
        let read = unified.map_err(UnresolvedCall::from).and_then(|()| read(&mut message, form));
        let mut called = match read {
            Ok(CallName::Tool(called)) => called,
            Ok(CallName::Own(call)) => {
                OwnRequest { dry_run: form, tool: call.tool(), call: Ok(*call) }.attach(&mut message);
                return ResponseFuture::passing(Either::Right(self.methods.call(message)));
            }
            Err(UnresolvedCall { error, tool: Some(tool) }) if form.is_some() => {
                OwnRequest { dry_run: form, tool, call: Err(error) }.attach(&mut message);
                return ResponseFuture::passing(Either::Right(self.methods.call(message)));
            }
            Err(unresolved) => {
                let refused = refuse(self.trail.clone(), message, unresolved);
                return ResponseFuture::waiting(async { Ok(refused.await) });
            }
        };
        let entry = look_up(&self.tools, &message, &mut called);
        if entry.is_none() {
            self.servers.try_unlisted();
        }
        // The tool may still be listed, if one of the kernel's servers has not started yet.
        if entry.is_some() || !self.servers.is_starting() {
            let call = tool_call(id, message, called, entry);
            return ResponseFuture::passing(Either::Left(self.inner.call(call)));
        }
        let (tools, servers) = (self.tools.clone(), self.servers.clone());
        let mut inner = self.inner.clone();
        drop(std::mem::replace(&mut self.inner, inner.clone()));
        ResponseFuture::waiting(async move {
            servers.first_starts().await;
            let entry = look_up(&tools, &message, &mut called);
            poll_fn(|cx| inner.poll_ready(cx)).await?;
            inner.call(tool_call(id, message, called, entry)).await
        })
    }
}

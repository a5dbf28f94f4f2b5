//! The service that finds a call's tool.

use super::unknown::Unknown;
use crate::kernel::{core::Core, forward, tool_index::SessionHandle, tools::ToolEntry};
use futures_core::future::BoxFuture;
use futures_util::future::Either;
use mgp_toolindex::meta_tools::{self, MetaCall, OwnCall};
use mgp_transport::seam::{CallRecord, Incoming, Reply};
use mgp_types::{
    context::{Target, ToolId, TraceId},
    json::{JsonError, RawJson, RawObject},
    mcp::CallTool,
    rpc::{Call, ErrorObject},
    tool_index::MetaTool,
};
use std::{
    borrow::Cow,
    future::poll_fn,
    sync::{Arc, Weak},
    task::{Context, Poll},
};
use tower_service::Service;

/// Finds a call's tool. See [`ResolveLayer`](super::ResolveLayer).
#[derive(Debug, Clone)]
pub(in crate::kernel) struct Resolve<S> {
    pub(super) inner: S,
    pub(super) core: Weak<Core>,
}

/// The tool that `tools/call` names.
#[derive(Debug, Clone)]
pub(in crate::kernel) enum Named {
    /// A server's tool.
    Tool(Arc<ToolEntry>),
    /// A tool of the kernel's own.
    Own(OwnCall),
}

impl<S> Resolve<S> {
    /// Reads what a call names, and notes it in the call's context.
    ///
    /// # Errors
    /// [`Unresolved`] for a call that names nothing that can be looked up.
    fn resolve(&self, message: &mut Incoming) -> Result<(), Unresolved> {
        let params = message.params.object()?;
        let mut name = name_of(params)?;
        let mut unwrapped = None;
        match own_call(&name, params)? {
            Some(MetaCall::Own(call)) => {
                message.ext.insert(Named::Own(call));
                return Ok(());
            }
            Some(MetaCall::Call(call)) => {
                // What is no argument of it (`_meta`, `_mgp`) is the caller's word on the inner call.
                let mut inner = params.clone();
                inner.insert("name", RawJson::string(call.name.as_str()));
                match call.arguments {
                    Some(arguments) => inner.insert("arguments", arguments),
                    None => inner.remove("arguments"),
                };
                if let Some(session) = call.session {
                    message.ext.insert(SessionHandle::new(session));
                }
                name = call.name.into();
                unwrapped = Some(inner);
            }
            None => {}
        }
        let record = CallRecord::new();
        record.update(|record| record.trace = message.ext.get::<TraceId>().cloned());
        let found = Found::look(self.core.upgrade().as_deref(), &name);
        if let Some(inner) = unwrapped {
            message.params = inner.into();
            // They repeat the arguments of the outer call.
            #[cfg(feature = "http")]
            message.ext.remove::<mgp_transport::http::server::ParamHeaders>();
        }
        if message.params.object().is_ok_and(SessionHandle::may_stand_in) {
            let mut params = std::mem::take(&mut message.params).into_object()?;
            let handle = SessionHandle::take(&mut params);
            message.params = params.into();
            if let Some(handle) = handle.filter(|_| message.ext.get::<SessionHandle>().is_none()) {
                message.ext.insert(handle);
            }
        }
        message.ext.insert(record);
        found.note(message);
        Ok(())
    }

    /// Returns the kernel if a tool that was not found may still come, because one of the kernel's servers has not started yet.
    fn may_still_come(&self, message: &Incoming) -> Option<Arc<Core>> {
        message.ext.get::<Unknown>()?;
        self.core.upgrade().filter(|core| core.is_starting())
    }
}

/// The result of looking up a name.
enum Found {
    Tool { entry: Arc<ToolEntry>, called_as: Arc<str> },
    Nothing { called_as: Arc<str> },
}

impl Found {
    fn look(core: Option<&Core>, name: &str) -> Self {
        let tools = core.map(|core| core.tools.load());
        match tools.as_ref().and_then(|tools| tools.resolve(name)) {
            Some(entry) => Self::Tool { entry: entry.clone(), called_as: name.into() },
            None => Self::Nothing { called_as: name.into() },
        }
    }

    /// Notes the result in the call's context.
    fn note(self, message: &mut Incoming) {
        match self {
            Self::Tool { entry, called_as } => {
                message.ext.insert(Target { tool: entry.id.clone(), called_as });
                message.ext.insert(entry.profile.clone());
                message.ext.insert(Named::Tool(entry));
                message.ext.remove::<Unknown>();
            }
            Self::Nothing { called_as } => {
                message.ext.insert(Target { tool: ToolId::new("", called_as.clone()), called_as });
                message.ext.insert(Unknown);
            }
        }
    }
}

/// A call that names nothing that could be looked up.
struct Unresolved {
    error: ErrorObject,
    /// The kernel's own tool whose arguments are wrong.
    tool: Option<MetaTool>,
}

impl From<ErrorObject> for Unresolved {
    fn from(error: ErrorObject) -> Self {
        Self { error, tool: None }
    }
}

impl From<JsonError> for Unresolved {
    fn from(error: JsonError) -> Self {
        ErrorObject::from(error).into()
    }
}

/// Refuses a call that names nothing that could be looked up, and records the refusal. Wrong arguments of one of the kernel's own
/// tools are answered with a result, because models read results.
async fn refuse(core: Weak<Core>, message: Incoming, unresolved: Unresolved) -> Reply {
    let Unresolved { error, tool } = unresolved;
    let reply = match core.upgrade() {
        Some(core) => forward::refuse_method(&core, &message, error.clone()).await,
        None => Reply::error(error.clone()),
    };
    match tool {
        Some(tool) if reply.as_error() == Some(&error) => {
            Reply::from_value(&meta_tools::wrong_arguments(tool, &error))
        }
        _ => reply,
    }
}

/// Reads a call of one of the kernel's own tools; `None` if the name means another tool, or none.
fn own_call(name: &str, params: &RawObject) -> Result<Option<MetaCall>, Unresolved> {
    match (meta_tools::parse(name, params.get("arguments")), name.parse()) {
        (Some(Ok(call)), _) => Ok(Some(call)),
        (Some(Err(error)), Ok(tool)) => Err(Unresolved { error, tool: Some(tool) }),
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

/// The longest name of a tool that is looked up, in bytes. Names go into the audit trail.
const MAX_NAME: usize = 1024;

impl<S> Service<Incoming> for Resolve<S>
where
    S: Service<Incoming, Response = Reply, Error: Send, Future: Send> + Clone + Send + 'static,
{
    type Response = Reply;
    type Error = S::Error;
    // Boxed where it is rare: a refusal, and a call that comes before its server.
    type Future = Either<S::Future, BoxFuture<'static, Result<Reply, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        if message.method != CallTool::METHOD {
            return Either::Left(self.inner.call(message));
        }
        // A notification by that name would be a call that nobody could answer for.
        if message.is_notification() {
            let error = ErrorObject::invalid_request("a call came as a notification: expected a request");
            let refused = refuse(self.core.clone(), message, error.into());
            return Either::Right(Box::pin(async {
                refused.await;
                Ok(Reply::none())
            }));
        }
        if let Err(unresolved) = self.resolve(&mut message) {
            let refused = refuse(self.core.clone(), message, unresolved);
            return Either::Right(Box::pin(async { Ok(refused.await) }));
        }
        let Some(core) = self.may_still_come(&message) else { return Either::Left(self.inner.call(message)) };
        let mut inner = self.inner.clone();
        drop(std::mem::replace(&mut self.inner, inner.clone()));
        Either::Right(Box::pin(async move {
            core.first_starts().await;
            if let Some(Target { called_as, .. }) = message.ext.remove::<Target>() {
                Found::look(Some(&core), &called_as).note(&mut message);
            }
            poll_fn(|cx| inner.poll_ready(cx)).await?;
            inner.call(message).await
        }))
    }
}

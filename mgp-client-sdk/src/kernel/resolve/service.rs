//! The service that finds a call's tool.

use super::unknown::Unknown;
use crate::kernel::{catalog::CatalogEntry, core::Core, trace::ParsedParams};
use futures_core::future::BoxFuture;
use futures_util::future::{Either, ready};
use mgp_toolindex::meta_tools::{self, MetaCall};
use mgp_transport::seam::{CallRecord, Incoming, Reply};
use mgp_types::{
    context::{Target, ToolId, TraceId},
    json::{RawJson, RawObject},
    mcp::CallTool,
    rpc::{Call, ErrorObject},
    tool_index::DiscoverToolsParams,
};
use std::{
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

/// What `tools/call` names.
#[derive(Debug, Clone)]
pub(in crate::kernel) enum Named {
    /// A server's tool.
    Tool(Arc<CatalogEntry>),
    /// The search of the kernel's own.
    Discover(DiscoverToolsParams),
}

impl<S> Resolve<S> {
    /// Reads what a call names, and notes it in the call's context.
    fn resolve(&self, message: &mut Incoming) -> Result<(), ErrorObject> {
        let mut params = match message.ext.remove::<ParsedParams>() {
            Some(ParsedParams(params)) => params,
            None => message.params.object()?,
        };
        let mut name = name_of(&params)?;
        match meta_tools::parse(&name, params.get("arguments")).transpose()? {
            Some(MetaCall::Discover(params)) => {
                message.ext.insert(Named::Discover(params));
                return Ok(());
            }
            Some(MetaCall::Call(call)) => {
                // What is no argument of it (`_meta`, `_mgp`) is the caller's word on the inner call.
                params.insert("name", RawJson::from(call.name.as_str()));
                match call.arguments {
                    Some(arguments) => params.insert("arguments", arguments),
                    None => params.remove("arguments"),
                };
                name = call.name;
                message.params = params.into();
            }
            None => {}
        }
        let record = CallRecord::new();
        record.update(|record| record.trace = message.ext.get::<TraceId>().cloned());
        message.ext.insert(record);
        find(self.core.upgrade().as_deref(), name.into(), message);
        Ok(())
    }

    /// The kernel, where a tool that was not found may still come: one of its servers has not started yet.
    fn may_still_come(&self, message: &Incoming) -> Option<Arc<Core>> {
        message.ext.get::<Unknown>()?;
        self.core.upgrade().filter(|core| core.is_starting())
    }
}

/// Notes the tool that a name means, or that there is none.
fn find(core: Option<&Core>, name: Arc<str>, message: &mut Incoming) {
    let catalog = core.map(|core| core.catalog.load());
    if let Some(entry) = catalog.as_ref().and_then(|catalog| catalog.resolve(&name)) {
        message.ext.insert(Target { tool: entry.id.clone(), called_as: name });
        message.ext.insert(entry.profile.clone());
        message.ext.insert(Named::Tool(entry.clone()));
        message.ext.remove::<Unknown>();
    } else {
        message.ext.insert(Target { tool: ToolId::new("", name.clone()), called_as: name });
        message.ext.insert(Unknown);
    }
}

fn name_of(params: &RawObject) -> Result<String, ErrorObject> {
    let name = params
        .get("name")
        .ok_or_else(|| ErrorObject::invalid_params("missing name: expected a tool's name"))?;
    let name = name.to_text().ok_or_else(|| {
        ErrorObject::invalid_params(format!("invalid name: expected a string, found {}", name.kind()))
    })?;
    if name.len() > MAX_NAME {
        let length = name.len();
        return Err(ErrorObject::invalid_params(format!(
            "invalid name: expected at most {MAX_NAME} bytes, found {length}"
        )));
    }
    Ok(name)
}

/// The longest name of a tool that is looked up, in bytes. It goes into the audit trail.
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
            return Either::Right(Box::pin(ready(Ok(Reply::none()))));
        }
        if let Err(error) = self.resolve(&mut message) {
            return Either::Right(Box::pin(ready(Ok(Reply::error(error)))));
        }
        let Some(core) = self.may_still_come(&message) else { return Either::Left(self.inner.call(message)) };
        let mut inner = self.inner.clone();
        drop(std::mem::replace(&mut self.inner, inner.clone()));
        Either::Right(Box::pin(async move {
            core.first_starts().await;
            if let Some(Target { called_as, .. }) = message.ext.remove::<Target>() {
                find(Some(&core), called_as, &mut message);
            }
            poll_fn(|cx| inner.poll_ready(cx)).await?;
            inner.call(message).await
        }))
    }
}

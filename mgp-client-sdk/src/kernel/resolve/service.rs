//! The service that finds a call's tool.

use super::unknown::Unknown;
use crate::kernel::{catalog::CatalogEntry, core::Core, trace::ParsedParams};
use futures_util::future::{Either, Ready, ready};
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
    sync::{Arc, Weak},
    task::{Context, Poll},
};
use tower_service::Service;

/// Finds a call's tool. See [`ResolveLayer`](super::ResolveLayer).
#[derive(Debug, Clone)]
pub struct Resolve<S> {
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
        let core = self.core.upgrade();
        let catalog = core.as_ref().map(|core| core.catalog.load());
        match catalog.as_ref().and_then(|catalog| catalog.resolve(&name)) {
            Some(entry) => {
                message.ext.insert(Target { tool: entry.id.clone(), called_as: name.into() });
                message.ext.insert(entry.profile.clone());
                message.ext.insert(Named::Tool(entry.clone()));
            }
            None => {
                message.ext.insert(Target { tool: ToolId::new("", name.as_str()), called_as: name.into() });
                message.ext.insert(Unknown);
            }
        }
        Ok(())
    }
}

fn name_of(params: &RawObject) -> Result<String, ErrorObject> {
    let name = params
        .get("name")
        .ok_or_else(|| ErrorObject::invalid_params("missing name: expected a tool's name"))?;
    name.to_text().ok_or_else(|| {
        ErrorObject::invalid_params(format!("invalid name: expected a string, found {}", name.kind()))
    })
}

impl<S: Service<Incoming, Response = Reply>> Service<Incoming> for Resolve<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Reply, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        if message.method == CallTool::METHOD {
            // A notification by that name would be a call that nobody could answer for.
            if message.is_notification() {
                return Either::Right(ready(Ok(Reply::none())));
            }
            if let Err(error) = self.resolve(&mut message) {
                return Either::Right(ready(Ok(Reply::error(error))));
            }
        }
        Either::Left(self.inner.call(message))
    }
}

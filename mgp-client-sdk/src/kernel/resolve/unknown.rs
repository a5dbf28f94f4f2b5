//! Refuses calls of tools that do not exist, or that are concealed from their caller: inside audit and identity, so that the refusal
//! is recorded with its caller.

use crate::kernel::core::Core;
use futures_core::future::BoxFuture;
use futures_util::future::{Either, ready};
use mgp_transport::seam::{CallRecord, Incoming, RefusalKind, Reply};
use mgp_types::{
    context::{Principal, Target},
    error::ErrorCode,
    rpc::ErrorObject,
};
use std::{
    sync::{Arc, Weak},
    task::{Context, Poll},
};
use tower_layer::Layer;
use tower_service::Service;

/// Marks a call whose tool does not exist.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknown;

/// Stands inside identity: refuses the calls of tools that [`ResolveLayer`](super::ResolveLayer) did not find, and those of tools that are
/// [concealed](Core::conceals_from) from their caller, with the same answer.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct RefuseUnknownLayer {
    core: Weak<Core>,
}

impl RefuseUnknownLayer {
    pub(in crate::kernel) fn new(core: Weak<Core>) -> Self {
        Self { core }
    }
}

/// Refuses calls of tools that do not exist for their caller.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct RefuseUnknown<S> {
    inner: S,
    core: Weak<Core>,
}

/// The reason why a tool does not exist for its caller, for the audit trail alone.
struct Absence {
    kind: RefusalKind,
    reason: String,
    /// The kernel, if its servers are still starting: the answer to an unknown tool waits for them, so the answer to a concealed
    /// tool must wait too.
    starting: Option<Arc<Core>>,
}

impl<S> RefuseUnknown<S> {
    fn absence(&self, message: &Incoming, target: &Target) -> Option<Absence> {
        if message.ext.get::<Unknown>().is_some() {
            let reason = unknown(target).message;
            return Some(Absence { kind: RefusalKind::NotFound, reason, starting: None });
        }
        let (principal, core) = (message.ext.get::<Principal>()?, self.core.upgrade()?);
        if !core.conceals_from(message.session()?) {
            return None;
        }
        let denial = core.access.authorize(principal, &target.tool).err()?;
        let starting = core.is_starting().then_some(core);
        Some(Absence { kind: RefusalKind::Access, reason: denial.of_call(&target.called_as), starting })
    }
}

fn unknown(target: &Target) -> ErrorObject {
    let shown: String = target.called_as.chars().take(128).collect();
    ErrorCode::ToolNotFound.error(format!("unknown tool: {shown:?}"))
}

impl<S> Layer<S> for RefuseUnknownLayer {
    type Service = RefuseUnknown<S>;

    fn layer(&self, inner: S) -> RefuseUnknown<S> {
        RefuseUnknown { inner, core: self.core.clone() }
    }
}

impl<S: Service<Incoming, Response = Reply, Error: Send + 'static>> Service<Incoming> for RefuseUnknown<S> {
    type Response = Reply;
    type Error = S::Error;
    // Boxed, for refusals are rare.
    type Future = Either<S::Future, BoxFuture<'static, Result<Reply, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        let Some(target) = message.ext.get::<Target>() else { return Either::Left(self.inner.call(message)) };
        let Some(absence) = self.absence(&message, target) else {
            return Either::Left(self.inner.call(message));
        };
        let error = unknown(target);
        if let Some(record) = message.ext.get::<CallRecord>() {
            record.refuse(absence.kind, absence.reason);
        }
        let Some(core) = absence.starting else {
            return Either::Right(Box::pin(ready(Ok(Reply::error(error)))));
        };
        Either::Right(Box::pin(async move {
            core.first_starts().await;
            Ok(Reply::error(error))
        }))
    }
}

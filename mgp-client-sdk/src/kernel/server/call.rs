//! The one place that runs a server's tool: the end of the pipeline.

use super::{Link, Server};
use futures_core::future::BoxFuture;
use mgp_stream::relay::{Host, Relay};
use mgp_transport::seam::{
    BoxError, CallError, CallEvent, CallRecord, Incoming, PendingCall, Reply, Session,
};
use mgp_types::{
    context::{Target, TraceId},
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::CallTool,
    mgp_member,
    negotiation::Negotiated,
    request_meta,
    rpc::{Call, RawResult},
};
use std::{
    sync::Weak,
    task::{Context, Poll},
};
use tower_service::Service;

/// Sends `tools/call` to a server, and what comes back to the host. Nothing else in the kernel can.
#[derive(Debug, Clone)]
pub(crate) struct ServerCall {
    server: Weak<Server>,
}

impl ServerCall {
    pub(super) fn new(server: Weak<Server>) -> Self {
        Self { server }
    }
}

impl Service<Incoming> for ServerCall {
    type Response = Reply;
    type Error = BoxError;
    // The box of the pipeline: one a call, at its end.
    type Future = BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        let link = self.server.upgrade().and_then(|server| server.link());
        Box::pin(async move {
            let Some(link) = link else {
                // The gate before this saw it connected; it went in between.
                return Ok(ErrorCode::ServerNotReady.error("the server is not connected").into());
            };
            run(&link, message).await
        })
    }
}

async fn run(link: &Link, mut message: Incoming) -> Result<Reply, BoxError> {
    let host = Host::of(&message);
    let host_speaks_mgp = message.session().is_some_and(Session::has::<Negotiated>);
    let id = link.peer.next_id();
    let params = std::mem::take(&mut message.params).into_object().map_err(CallError::Peer)?;
    let params = params_for_server(link, params, &message, host.as_ref(), id);
    let call = link.peer.start_as(id, CallTool::METHOD, params).await?;
    if let Some(record) = message.ext.get::<CallRecord>() {
        record.update(|record| record.attempts += 1);
    }
    // Now, where it is at hand: the reply is most often read on another core.
    drop(message);
    match relay(call, host).await {
        Ok(result) if link.negotiated.is_some() && !host_speaks_mgp => Ok(Reply::ok(without_mgp(result))),
        Ok(result) => Ok(Reply::ok(result)),
        Err(CallError::Peer(error)) => Ok(Reply::error(error)),
        Err(error) => Err(error.into()),
    }
}

/// The params as the server gets them: its own name for the tool, our progress token, the trace, and no MGP where it
/// speaks none. The arguments are what the validators saw, to the byte.
fn params_for_server(
    link: &Link,
    mut params: RawObject,
    message: &Incoming,
    host: Option<&Host>,
    id: i64,
) -> RawJson {
    if let Some(target) = message.ext.get::<Target>()
        && target.called_as != target.tool.tool_name
    {
        params.insert("name", RawJson::from(&*target.tool.tool_name));
    }
    if let Some(host) = host {
        host.ask_server(&mut params, id);
    }
    if let Some(trace) = message.ext.get::<TraceId>() {
        if link.negotiated.is_some() {
            // What no gate read must not reach a server that might.
            mgp_member::unify(&mut params);
            request_meta::set_trace_id(&mut params, trace);
        }
        // The span is ours: the server's own spans hang under this call.
        if let Some(parent) = trace.traceparent(id.unsigned_abs()) {
            request_meta::set_traceparent(&mut params, &parent);
        }
    }
    if link.negotiated.is_none() {
        mgp_member::strip(&mut params);
    }
    params.to_json()
}

/// Forwards what comes before the reply, and returns the reply.
async fn relay(mut call: PendingCall, host: Option<Host>) -> Result<RawResult, CallError> {
    let mut relay = host.map(Relay::new);
    loop {
        match call.next().await {
            CallEvent::Reply(reply) => return reply,
            CallEvent::Notification(notification) => {
                if let Some(relay) = &mut relay
                    && let Err(error) = relay.forward(notification).await
                {
                    tracing::debug!(%error, "a notification could not be forwarded to the host");
                }
            }
        }
    }
}

fn without_mgp(result: RawResult) -> RawResult {
    if !result.may_hold("mgp") {
        return result;
    }
    let Ok(mut object) = RawObject::from_json(&result) else { return result };
    mgp_member::strip(&mut object);
    object.to_json()
}

//! Forwards a guest's request to the server, and the server's messages about it to the guest.
//!
//! This is the only path to a tool that bypasses this kernel's pipeline. The request comes from another kernel of the same account, whose own
//! pipeline has judged, recorded and limited it.

use crate::{
    ground::caller::Caller,
    upstream::{Link, Server},
};
use mgp_transport::{
    connection::error_at_edge,
    seam::{CallError, CallEvent, CancelToken, Incoming, Notification, Peer, PendingCall, Reply},
};
use mgp_types::{
    callback::CallbackRequest,
    json::{RawJson, RawObject},
    mcp::{CallTool, Complete, GetPrompt, ReadResource, tasks::core::GetTaskPayload},
    rpc::{Call, ErrorObject, Notice, RequestId},
};
use std::sync::Arc;

/// Sends a guest's request under an id of this kernel, and waits for the answer. A host's request is counted as a call in flight: the end of
/// the server waits for it, and the server's questions meanwhile go to the guest.
pub(super) async fn forward(server: &Arc<Server>, link: &Link, message: Incoming) -> Reply {
    let of_host = is_of_host(&message.method);
    let permit = match of_host.then(|| server.path.gate.enter()).transpose() {
        Ok(permit) => permit,
        Err(refusal) => return Reply::exact_error(refusal.to_error()),
    };
    let peer = &link.session.peer;
    let id = peer.next_id();
    let caller = Caller::of(&message).filter(|_| of_host);
    let _entered = caller.map(|caller| server.exchange.enter(id, caller));
    let (guest, cancel) = (message.peer().cloned(), message.cancel_token().cloned().unwrap_or_default());
    let mut params = match message.params.into_object() {
        Ok(params) => params,
        Err(error) => return Reply::exact_error(error),
    };
    let names = GuestNames { id: message.id, progress: ask_for_progress(&mut params, id) };
    let call = match peer.start_exact(id, message.method, params).await {
        Ok(call) => call,
        Err(error) => return Reply::exact_error(error_at_edge(&error.into())),
    };
    let reply = relay(call, guest.as_ref(), &names, &cancel).await;
    if let Some(permit) = permit {
        permit.answered();
    }
    reply
}

/// Returns whether a request is made for a host, and not by the guest's kernel itself.
fn is_of_host(method: &str) -> bool {
    [CallTool::METHOD, ReadResource::METHOD, GetPrompt::METHOD, Complete::METHOD, GetTaskPayload::METHOD]
        .contains(&method)
}

/// The guest's own identifiers of a request.
struct GuestNames {
    id: Option<RequestId>,
    /// The progress token, if progress is requested.
    progress: Option<RawJson>,
}

/// Requests progress from the server under this kernel's id, if the guest requests it. Returns the guest's token.
fn ask_for_progress(params: &mut RawObject, id: i64) -> Option<RawJson> {
    let mut token = None;
    params.edit("_meta", |meta| {
        token = meta.get(PROGRESS_TOKEN).cloned();
        if token.is_some() {
            meta.insert(PROGRESS_TOKEN, RequestId::from(id).to_json());
        }
        token.is_some()
    });
    token
}

const PROGRESS_TOKEN: &str = "progressToken";

/// Forwards the notifications about a request, and returns the reply. If the guest cancels the request, it is cancelled at the server.
async fn relay(
    mut call: PendingCall,
    guest: Option<&Peer>,
    names: &GuestNames,
    cancel: &CancelToken,
) -> Reply {
    loop {
        let event = tokio::select! {
            event = call.next() => event,
            () = cancel.cancelled() => {
                return Reply::exact_error(ErrorObject::invalid_request("the request was cancelled"));
            }
        };
        match event {
            CallEvent::Reply(Ok(result)) => return Reply::ok(result),
            CallEvent::Reply(Err(CallError::Peer(error))) => return Reply::exact_error(error),
            CallEvent::Reply(Err(error)) => return Reply::exact_error(error_at_edge(&error.into())),
            // Callbacks are not offered to a shared server.
            CallEvent::Notification(notification) if notification.method == *CallbackRequest::METHOD => {}
            CallEvent::Notification(notification) => {
                if let (Some(guest), Some(Notification { method, params })) =
                    (guest, names.rename(notification))
                {
                    // If the guest is gone, its requests were cancelled.
                    let _ = guest.notify(method, params).await;
                }
            }
        }
    }
}

impl GuestNames {
    /// Returns a notification about the request, with the guest's own identifiers.
    fn rename(&self, notification: Notification) -> Option<Notification> {
        let Notification { method, params } = notification;
        let mut params = params.into_object().ok()?;
        if params.get(PROGRESS_TOKEN).is_some() {
            params.insert(PROGRESS_TOKEN, self.progress.clone()?);
        }
        if params.get("request_id").is_some() {
            params.insert("request_id", self.id.as_ref()?.to_json());
        }
        Some(Notification { method, params: params.into() })
    }
}

//! The service that knows the caller.

use super::Delegation;
use crate::gate::{self, ResponseFuture};
use mgp_transport::seam::{Incoming, RefusalKind, Reply, Session};
use mgp_types::{
    context::{ActorType, Principal},
    error::ErrorCode,
};
use std::task::{Context, Poll};
use tower_service::Service;

/// Refuses tool calls on sessions that belong to nobody, and tells the inner layers who calls, whatever the method.
///
/// It puts the session's [`Principal`], and the [`Delegation`] where the request names one, into `Incoming.ext`.
#[derive(Debug, Clone)]
pub struct Identity<S> {
    pub(super) inner: S,
}

fn identify(message: &Incoming) -> Result<Option<(Principal, Option<Delegation>)>, Reply> {
    let principal = message.session().and_then(Session::get::<Principal>);
    let Some(call) = gate::tool_call(message) else {
        // Other methods say themselves what they ask of their caller.
        return Ok(principal.map(|principal| (principal, None)));
    };
    let Some(principal) = principal else {
        let error = ErrorCode::AuthRequired.error("the session is not authenticated");
        return Err(call.refuse_with(RefusalKind::Identity, error));
    };
    // Written before the delegation is read, so that the trail has the caller of a refused one.
    call.note(|record| record.principal = Some(principal.clone()));
    let delegation =
        Delegation::read(&message.params).map_err(|error| call.refuse_with(RefusalKind::Identity, error))?;
    if let Some(delegation) = &delegation {
        call.note(|record| {
            record.principal = Some(Principal::new(principal.id(), ActorType::Delegated, false));
            record.details.push(("delegation", delegation.to_json()));
        });
    }
    Ok(Some((principal, delegation)))
}

impl<S: Service<Incoming, Response = Reply>> Service<Incoming> for Identity<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        match identify(&message) {
            Err(refusal) => return ResponseFuture::refused(refusal),
            Ok(None) => {}
            Ok(Some((principal, delegation))) => {
                message.ext.insert(principal);
                // What somebody outside may have put there does not count.
                message.ext.remove::<Delegation>();
                if let Some(delegation) = delegation {
                    message.ext.insert(delegation);
                }
            }
        }
        ResponseFuture::passing(self.inner.call(message))
    }
}

//! The service that asks before a call.

use super::ConfirmationLayer;
use crate::{
    gate::{self, ResponseFuture, ToolCall},
    permission::ConfirmationQuestion,
    profile::{Confirmation, ToolProfile},
};
use mgp_transport::seam::{Incoming, RefusalKind, Reply};
use mgp_types::{
    context::{Principal, TraceId},
    error::ErrorCode,
    json::{RawJson, RawObject},
};
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// Asks before a call where the tool's profile says so.
#[derive(Debug, Clone)]
pub struct Confirm<S> {
    pub(super) inner: S,
    pub(super) layer: ConfirmationLayer,
}

impl ConfirmationLayer {
    /// The profile of a tool whose call somebody is asked about.
    fn asks(&self, message: &Incoming) -> Result<Option<Arc<ToolProfile>>, Reply> {
        let Some(call) = gate::tool_call(message) else { return Ok(None) };
        let profile = call.profile()?;
        let asks = match profile.confirmation {
            Confirmation::Never => false,
            Confirmation::UnlessApproved => !self.is_approved(&call, profile),
            Confirmation::Always => true,
        };
        Ok(asks.then(|| profile.clone()))
    }

    /// Whether the approval of a permission stands for the confirmation, which the call's event says then.
    fn is_approved(&self, call: &ToolCall<'_>, profile: &ToolProfile) -> bool {
        let approved = self.permissions.as_ref().and_then(|permissions| {
            permissions.stands_for_confirmation(&call.target.tool.server_id, &profile.permissions)
        });
        let Some((permission, by)) = approved else { return false };
        let how: RawObject =
            [("permission", RawJson::string(permission.as_str())), ("by", RawJson::string(by.as_str()))]
                .into_iter()
                .collect();
        call.note(|record| record.details.push(("confirmation", how.to_json())));
        true
    }

    /// Asks; a refusal where the answer is no, or there is none in time.
    async fn confirm(&self, message: &Incoming, profile: &ToolProfile) -> Result<(), Reply> {
        let Some(call) = gate::tool_call(message) else { return Ok(()) };
        let Ok(_waiting) = self.waiting.try_acquire() else {
            let error = ErrorCode::ResourceExhausted.error("too many calls wait for a confirmation");
            return Err(call.refuse_with(RefusalKind::Confirmation, error));
        };
        let question = ConfirmationQuestion {
            target: call.target.clone(),
            arguments: message.params.object().ok().and_then(|params| params.get("arguments").cloned()),
            risk: profile.risk,
            principal: message.ext.get::<Principal>().cloned(),
            trace: message.ext.get::<TraceId>().cloned(),
            peer: message.peer().cloned(),
        };
        let cancelled = async {
            match message.cancel_token() {
                Some(cancel) => cancel.cancelled().await,
                None => std::future::pending().await,
            }
        };
        let why = tokio::select! {
            confirmed = self.approver.confirm(&question) => {
                if confirmed {
                    return Ok(());
                }
                "was not confirmed"
            }
            () = tokio::time::sleep(self.time_limit) => "was not confirmed in time",
            () = cancelled => {
                call.refuse(RefusalKind::Confirmation, "cancelled while it waited for a confirmation");
                return Err(Reply::cancelled(RawJson::empty_object()));
            }
        };
        let text = format!("the call of tool {:?} ({}) {why}", call.target.called_as, profile.risk);
        Err(call.refuse_with(RefusalKind::Confirmation, ErrorCode::PermissionDenied.error(text)))
    }
}

impl<S> Service<Incoming> for Confirm<S>
where
    S: Service<Incoming, Response = Reply, Error: Send, Future: Send> + Clone + Send + 'static,
{
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        match self.layer.asks(&message) {
            Ok(None) => ResponseFuture::passing(self.inner.call(message)),
            Err(refusal) => ResponseFuture::refused(refusal),
            Ok(Some(profile)) => {
                let layer = self.layer.clone();
                gate::after(&mut self.inner, async move {
                    layer.confirm(&message, &profile).await?;
                    Ok(message)
                })
            }
        }
    }
}

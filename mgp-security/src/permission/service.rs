//! The gate of permissions.

use super::{
    PermissionQuestion, Permissions,
    evaluate::Outcome,
    settle::{Unsettled, settle},
    wait::Wait,
};
use crate::{
    gate::{self, ResponseFuture, ToolCall},
    profile::ToolProfile,
};
use mgp_transport::seam::{Incoming, RefusalKind, Reply};
use mgp_types::{
    context::Principal,
    error::ErrorCode,
    json::{RawJson, RawObject},
    permission::{Permission, PermissionState},
    rpc::ErrorObject,
};
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// Refuses calls whose tool needs a permission that is not approved, after asking for it if the policy says so.
#[derive(Debug, Clone)]
pub struct RequirePermission<S> {
    pub(super) inner: S,
    pub(super) permissions: Permissions,
}

/// The permissions that were granted to one call alone, in its `Incoming.ext`.
#[derive(Debug, Clone)]
struct GrantedOnce(Arc<[Permission]>);

/// The judgement on a call that is possible without waiting.
enum Sight {
    Pass,
    Refuse(Reply),
    Settle(Arc<ToolProfile>),
}

impl Permissions {
    fn look(&self, message: &Incoming) -> Sight {
        let Some(call) = gate::tool_call(message) else { return Sight::Pass };
        let profile = match call.profile() {
            Ok(profile) => profile,
            Err(refusal) => return Sight::Refuse(refusal),
        };
        if let Some(name) = profile.invalid_permissions.first() {
            let shown: String = name.chars().take(64).collect();
            let error = ErrorCode::PermissionDenied
                .error(format!("tool {:?} needs {shown:?}, which is no permission", call.target.called_as));
            return Sight::Refuse(call.refuse_with(RefusalKind::Permission, error));
        }
        for permission in &profile.permissions {
            let standing = self.0.standing(&call.target.tool.server_id, permission);
            match standing.outcome {
                Outcome::Approved(_) => {}
                Outcome::Refused(state) if standing.ran_out.is_none() => {
                    return Sight::Refuse(self.refuse(&call, permission, state));
                }
                _ => return Sight::Settle(profile.clone()),
            }
        }
        Sight::Pass
    }

    /// Judges a tool call by the decisions of this moment, without asking anybody; other messages pass. A refusal is noted in the
    /// call's record.
    ///
    /// # Errors
    /// The refusal, if a permission that the tool needs is not approved.
    pub fn judge_call(&self, message: &Incoming) -> Result<(), Reply> {
        let Some(call) = gate::tool_call(message) else { return Ok(()) };
        let once = message.ext.get::<GrantedOnce>();
        for permission in &call.profile()?.permissions {
            let server_id = &call.target.tool.server_id;
            let passes = match self.0.standing(server_id, permission).outcome {
                Outcome::Approved(_) => true,
                Outcome::Refused(PermissionState::Denied) => false,
                Outcome::Refused(_) | Outcome::Ask | Outcome::Approve => {
                    once.is_some_and(|granted| granted.0.contains(permission))
                }
            };
            if !passes {
                return Err(self.refuse(&call, permission, self.state(server_id, permission)));
            }
        }
        Ok(())
    }

    /// Settles every permission that a call needs. Returns a refusal if one of them is not approved.
    async fn settle_all(&self, message: &mut Incoming, profile: &ToolProfile) -> Result<(), Reply> {
        let wait = Wait::of(message, self.0.wait);
        let Some(call) = gate::tool_call(message) else { return Ok(()) };
        let mut once = Vec::new();
        for permission in &profile.permissions {
            let question = PermissionQuestion {
                request_id: String::new(),
                target: call.target.clone(),
                permission: permission.clone(),
                risk: profile.risk,
                grant_lifetime: self.0.grant_lifetime,
                principal: message.ext.get::<Principal>().cloned(),
                peer: message.peer().cloned(),
            };
            let settled = settle(&self.0, question, &wait).await;
            if let Some(by) = settled.map_err(|error| self.unsettled(&call, permission, &error))? {
                let granted: RawObject = [
                    ("permission", RawJson::string(permission.as_str())),
                    ("by", RawJson::string(by.as_str())),
                ]
                .into_iter()
                .collect();
                call.note(|record| record.details.push(("granted_once", granted.to_json())));
                once.push(permission.clone());
            }
        }
        if !once.is_empty() {
            message.ext.insert(GrantedOnce(once.into()));
        }
        Ok(())
    }

    fn unsettled(&self, call: &ToolCall<'_>, permission: &Permission, error: &Unsettled) -> Reply {
        match error {
            Unsettled::Refused(state) => self.refuse(call, permission, *state),
            Unsettled::Cancelled => {
                call.refuse(RefusalKind::Permission, "cancelled while it waited for an approval");
                Reply::cancelled(RawJson::empty_object())
            }
            Unsettled::Busy => {
                let error = ErrorCode::ResourceExhausted.error("too many calls wait for an approval");
                call.refuse_with(RefusalKind::Permission, error)
            }
            Unsettled::Store(_) | Unsettled::Audit(_) => {
                call.refuse_with(RefusalKind::Permission, ErrorObject::internal(error.to_string()))
            }
        }
    }
}

impl<S> Service<Incoming> for RequirePermission<S>
where
    S: Service<Incoming, Response = Reply, Error: Send, Future: Send> + Clone + Send + 'static,
{
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        match self.permissions.look(&message) {
            Sight::Pass => ResponseFuture::passing(self.inner.call(message)),
            Sight::Refuse(refusal) => ResponseFuture::refused(refusal),
            Sight::Settle(profile) => {
                let permissions = self.permissions.clone();
                gate::after(&mut self.inner, async move {
                    permissions.settle_all(&mut message, &profile).await?;
                    Ok(message)
                })
            }
        }
    }
}

//! One method of a section.

use super::RouteError;
use crate::seam::{Incoming, Reply};
use futures_core::future::BoxFuture;
use mgp_types::{error::ErrorCode, rpc::ErrorObject};
use std::sync::Arc;

/// The future of a handler.
pub(super) type RouteFuture = BoxFuture<'static, Result<Reply, RouteError>>;

/// The callers of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Every caller.
    Anyone,
    /// Principals with the admin role.
    Admin,
}

impl Role {
    /// Checks that the caller of a message has this role.
    pub(super) fn check(self, message: &Incoming) -> Result<(), ErrorObject> {
        if self == Self::Anyone {
            return Ok(());
        }
        let caller = message.caller()?;
        if caller.is_admin() {
            return Ok(());
        }
        let (method, who) = (&message.method, caller.id());
        let reason = format!("{method} needs the admin role, which {who:?} does not have");
        Err(ErrorCode::PermissionDenied.error(reason))
    }
}

/// One method of a section.
pub(super) struct Route<S> {
    pub(super) role: Role,
    pub(super) is_notification: bool,
    pub(super) handler: Arc<dyn Fn(S, Incoming) -> RouteFuture + Send + Sync>,
}

impl<S> Clone for Route<S> {
    fn clone(&self) -> Self {
        Self { role: self.role, is_notification: self.is_notification, handler: self.handler.clone() }
    }
}

//! The grants of registered servers: none before a server is registered, and none that stays after it is removed.

use super::registrar::internal;
use mgp_security::{
    access::{AccessControl, AccessMethods},
    audit::AuditSink,
    permission::{Confirmations, Permissions},
};
use mgp_types::{
    access::{AccessDecision, AccessEntry, AccessRevokeParams},
    context::{ActorType, Principal},
    error::ErrorCode,
    permission::PermissionState,
    rpc::ErrorObject,
};
use std::sync::Arc;

/// The grants of servers: access rules, approved permissions and approved calls.
#[derive(Debug, Clone)]
pub(super) struct ServerRights {
    pub(super) access: AccessControl,
    pub(super) permissions: Permissions,
    pub(super) confirmations: Confirmations,
    pub(super) sink: Arc<dyn AuditSink>,
}

impl ServerRights {
    /// Rejects an id that already has grants, because an agent that registers it would take them over.
    pub(super) async fn check_none(&self, id: &str) -> Result<(), ErrorObject> {
        let ruled = self.rules(id).await?.next().is_some();
        let rows = self.permissions.rows().await.map_err(internal)?;
        let approved = rows.iter().any(|row| row.server_id == id && row.state == PermissionState::Approved);
        let calls = self.confirmations.rows().await.map_err(internal)?;
        let approved = approved || calls.iter().any(|row| row.key.server_id == id && row.term().is_some());
        if ruled || approved {
            return Err(ErrorCode::PermissionDenied.error(format!(
                "something is granted to a server {id:?} already: expected an id that no rule and no approval names"
            )));
        }
        Ok(())
    }

    /// Revokes the grants of a removed server, and keeps the denials. If one grant cannot be revoked, the others still are.
    pub(super) async fn forget(&self, id: &str) -> Result<(), ErrorObject> {
        let kernel = Principal::new("kernel", ActorType::Kernel, true);
        let rules = self.forget_rules(id, &kernel).await;
        let approvals = self.forget_approvals(id, &kernel).await;
        let confirmations = self.confirmations.forget_server(id, &kernel).await;
        rules.and(approvals).and(confirmations)
    }

    async fn forget_rules(&self, id: &str, kernel: &Principal) -> Result<(), ErrorObject> {
        let methods = AccessMethods::new(self.access.clone(), self.sink.clone());
        let mut all = Ok(());
        for AccessEntry { entry_type, agent_id, server_id, tool_name, .. } in self.rules(id).await? {
            let rule = AccessRevokeParams { entry_type, agent_id, server_id, tool_name };
            all = all.and(methods.revoke(kernel, rule).await.map(drop));
        }
        all
    }

    async fn forget_approvals(&self, id: &str, kernel: &Principal) -> Result<(), ErrorObject> {
        let rows = self.permissions.rows().await.map_err(internal)?;
        let mut all = Ok(());
        for row in rows.iter().filter(|row| row.server_id == id && row.state != PermissionState::Denied) {
            all = all.and(self.permissions.revoke(id, &row.permission, kernel).await.map(drop));
        }
        all
    }

    /// Returns the rules that allow the use of a server.
    async fn rules(&self, id: &str) -> Result<impl Iterator<Item = AccessEntry> + use<>, ErrorObject> {
        let id = id.to_owned();
        let entries = self.access.entries().await.map_err(internal)?;
        let allows = move |entry: &AccessEntry| {
            entry.server_id == id && entry.permission == Some(AccessDecision::Allow)
        };
        Ok(entries.into_iter().filter(allows))
    }
}

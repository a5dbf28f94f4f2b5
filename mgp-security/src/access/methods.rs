//! §5.4 `mgp/access/query`, `mgp/access/grant`, `mgp/access/revoke`.

use super::{AccessControl, AccessKey, Judgement, entry, rule::is_valid};
use crate::{
    audit::{AuditSink, EventDraft, record_change},
    refusals::{admin, internal},
};
use mgp_transport::seam::{Role, Routes};
use mgp_types::{
    access::{
        AccessChange, AccessChangeStatus, AccessDecision, AccessEntry, AccessGrantParams, AccessQueryParams,
        AccessQueryResult, AccessRevokeParams, GrantAccess, QueryAccess, RevokeAccess,
    },
    audit::AuditEventType,
    context::Principal,
    json::Nullable,
    rpc::ErrorObject,
};
use std::{collections::HashMap, sync::Arc};

/// The methods `mgp/access/*`, for principals with the admin role. Every change is in the audit trail before the method answers; a
/// failed change is recorded as a FAILURE.
#[derive(Debug, Clone)]
pub struct AccessMethods {
    control: AccessControl,
    sink: Arc<dyn AuditSink>,
}

impl AccessMethods {
    /// Creates the methods that query and change the rules of `control`. Changes are recorded to `sink`.
    #[must_use]
    pub fn new(control: AccessControl, sink: Arc<dyn AuditSink>) -> Self {
        Self { control, sink }
    }

    /// Returns the methods, for callers with the admin role.
    #[must_use]
    pub fn routes() -> Routes<Self> {
        Routes::new()
            .typed(QueryAccess, Role::Admin, async |methods: Self, caller, params| {
                methods.query(&caller, &params)
            })
            .typed(GrantAccess, Role::Admin, async |methods: Self, caller, params| {
                methods.grant(&caller, params).await
            })
            .typed(RevokeAccess, Role::Admin, async |methods: Self, caller, params| {
                methods.revoke(&caller, params).await
            })
    }

    /// Returns whether an agent may use a tool, and the source of that decision.
    ///
    /// # Errors
    /// 1000 without the admin role.
    pub fn query(
        &self,
        caller: &Principal,
        params: &AccessQueryParams,
    ) -> Result<AccessQueryResult, ErrorObject> {
        admin(caller)?;
        let tool = params.tool_name.get().map(String::as_str);
        let Judgement { decision, source, entry, role, policy } =
            self.control.query(&params.agent_id, &params.server_id, tool);
        let field = |of: fn(&AccessEntry) -> &Nullable<String>| {
            Nullable::from(entry.as_deref().and_then(|entry| of(entry).get().cloned()))
        };
        Ok(AccessQueryResult {
            permission: decision,
            source,
            role: role.map_or(Nullable::Absent, |role| Nullable::Value(role.to_string())),
            policy: policy.map_or(Nullable::Absent, |policy| Nullable::Value(policy.policy.clone())),
            granted_by: field(|entry| &entry.granted_by),
            granted_at: field(|entry| &entry.granted_at),
            expires_at: field(|entry| &entry.expires_at),
        })
    }

    /// Stores a rule. The caller is recorded as the grantor, whatever the request states.
    ///
    /// # Errors
    /// 1000 without the admin role, 4000 for an invalid rule, -32603 if the rule cannot be stored or audited.
    pub async fn grant(
        &self,
        caller: &Principal,
        params: AccessGrantParams,
    ) -> Result<AccessChange, ErrorObject> {
        admin(caller)?;
        let permission = params.permission;
        let entry = entry::granted(params, caller)?;
        // A rule that denies revokes access.
        let event_type = match permission {
            AccessDecision::Allow => AuditEventType::AccessGranted,
            AccessDecision::Deny => AuditEventType::AccessRevoked,
        };
        let event = event(event_type, caller, &entry);
        let changed = record_change(&*self.sink, event, self.control.keep(entry.clone())).await;
        // Reloaded before a failed change is reported: a stored rule is in force even if the outcome could not be recorded.
        let reloaded = self.control.reload().await;
        changed.map_err(internal)?;
        reloaded.map_err(internal)?;
        Ok(AccessChange { status: AccessChangeStatus::Granted, entry })
    }

    /// Stores rules that belong to a program or its configuration, as granted by the caller. A valid rule by another grantor for the
    /// same agent, server and tool stays, because that is the later decision. Rules of the caller that are in force are not stored again.
    ///
    /// # Errors
    /// Those of [`grant`](Self::grant).
    pub async fn establish(
        &self,
        caller: &Principal,
        rules: Vec<AccessGrantParams>,
    ) -> Result<(), ErrorObject> {
        let stored = self.control.entries().await.map_err(internal)?;
        let valid = stored.iter().filter(|entry| is_valid(entry));
        let valid: HashMap<_, _> = valid.map(|entry| (AccessKey::from(entry), entry)).collect();
        for params in rules {
            let wanted = entry::granted(params.clone(), caller)?;
            let stands = valid.get(&AccessKey::from(&wanted)).is_some_and(|entry| {
                entry.granted_by.get() != wanted.granted_by.get()
                    || (entry.permission == wanted.permission
                        && entry.expires_at.get() == wanted.expires_at.get())
            });
            if !stands {
                self.grant(caller, params).await?;
            }
        }
        Ok(())
    }

    /// Removes a rule.
    ///
    /// # Errors
    /// 1000 without the admin role, 4000 for a tool grant without a tool, -32603 if the rule cannot be removed, or its removal audited.
    pub async fn revoke(
        &self,
        caller: &Principal,
        params: AccessRevokeParams,
    ) -> Result<AccessChange, ErrorObject> {
        admin(caller)?;
        let asked = entry::asked_for(params)?;
        // Recorded after the removal, so that a revocation holds even if the trail cannot be written.
        let entry = match self.control.take_out(AccessKey::from(&asked)).await {
            Ok(Some(entry)) => entry,
            Ok(None) => return Ok(AccessChange { status: AccessChangeStatus::NotFound, entry: asked }),
            Err(error) => {
                let failed = event(AuditEventType::AccessRevoked, caller, &asked).failed(&error);
                self.sink.record(failed.finish()).await.map_err(internal)?;
                return Err(internal(error));
            }
        };
        let reloaded = self.control.reload().await;
        let event = event(AuditEventType::AccessRevoked, caller, &entry);
        self.sink.record(event.finish()).await.map_err(internal)?;
        reloaded.map_err(internal)?;
        Ok(AccessChange { status: AccessChangeStatus::Revoked, entry })
    }
}

/// Returns the event of a change to a rule.
fn event(event_type: AuditEventType, caller: &Principal, entry: &AccessEntry) -> EventDraft {
    let mut draft = EventDraft::new(event_type, caller)
        .server(&entry.server_id)
        .detail("agent_id", &entry.agent_id)
        .detail("entry_type", &entry.entry_type)
        .detail("permission", &entry.permission);
    if let Some(tool) = entry.tool_name.get() {
        draft = draft.tool(tool);
    }
    if let Some(end) = entry.expires_at.get() {
        draft = draft.detail("expires_at", end);
    }
    if let Some(why) = entry.justification.get() {
        draft = draft.detail("justification", why);
    }
    draft
}

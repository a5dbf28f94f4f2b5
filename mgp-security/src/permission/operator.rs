//! §3.6 Decisions of the operator, from any process that shares the store.

use super::{
    OpenDecisionError, PermissionRow, Permissions, ReplacedRows, StoreError, evaluate::Outcome,
    record::still_to_come, settle,
};
use crate::refusals::{admin, internal};
use jiff::Timestamp;
use mgp_store::follow::SnapshotOwner;
use mgp_types::{
    audit::AuditEventType,
    context::Principal,
    error::ErrorCode,
    permission::{GrantScope, Permission, PermissionState},
    rpc::ErrorObject,
};

/// The type of the event that records that a denial was revoked, so that the permission is asked for again.
const DENIAL_REVOKED: &str = "dev.cloto.mgp.PERMISSION_DENIAL_REVOKED";

impl Permissions {
    /// Reads every row, open questions and decisions alike, in the order of servers and permissions. Rows that
    /// [cannot be read](Self::unreadable) are left out.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub async fn rows(&self) -> Result<Vec<PermissionRow>, StoreError> {
        let mut rows = self.0.store.load().await?.rows;
        rows.sort_by(|a, b| (&a.server_id, &a.permission).cmp(&(&b.server_id, &b.permission)));
        Ok(rows)
    }

    /// Returns the unanswered questions.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot be read.
    pub async fn pending(&self) -> Result<Vec<PermissionRow>, StoreError> {
        let mut rows = self.rows().await?;
        rows.retain(|row| row.state == PermissionState::Deferred);
        Ok(rows)
    }

    /// Opens a question before any call needs it, for example when a server connects, and returns its row. If the permission is
    /// decided already, that row is the decision; an expired approval does not count as one.
    ///
    /// # Errors
    /// 3001 if 64 questions about the server are open; -32603 if the question cannot be stored, or if the end of an approval cannot be
    /// audited.
    pub async fn open_question(
        &self,
        server_id: &str,
        permission: &Permission,
    ) -> Result<PermissionRow, ErrorObject> {
        self.decide_by_policy(server_id, permission).await?;
        let standing = self.0.standing(server_id, permission);
        if let Some(end) = standing.ran_out {
            // Until its end is noted, the row is an approval, which no question replaces.
            settle::expire(&self.0, server_id, permission, end).await.map_err(internal)?;
        }
        match self.0.row(server_id, permission) {
            // A permission whose row cannot be read is denied until an operator decides, and nobody is asked about it.
            None if matches!(standing.outcome, Outcome::Refused(PermissionState::Denied)) => {
                Ok(PermissionRow::unreadable(server_id, permission))
            }
            // A decision by the policy is returned too, because a question would replace it.
            Some(row)
                if matches!(
                    standing.outcome,
                    Outcome::Approved(_) | Outcome::Refused(PermissionState::Denied)
                ) =>
            {
                Ok(PermissionRow::clone(&row))
            }
            _ => {
                let row = settle::open_row(&self.0, server_id, permission, None).await.map_err(internal)?;
                row.map(|row| PermissionRow::clone(&row)).ok_or_else(|| too_many(server_id))
            }
        }
    }

    /// Decides on a permission by the policy before any call needs it, for example when a server connects, and records that. Does nothing
    /// if the permission is decided, or if the policy leaves it to the operator.
    ///
    /// # Errors
    /// -32603 if the decision cannot be stored or audited.
    pub async fn decide_by_policy(
        &self,
        server_id: &str,
        permission: &Permission,
    ) -> Result<(), ErrorObject> {
        settle::by_policy(&self.0, server_id, permission, None).await.map_err(internal)
    }

    /// Approves a permission of a server without limits. The approval is in force when this method returns.
    ///
    /// # Errors
    /// 1000 without the admin role, and under `deny_all` and `config_only`; -32602 for an end in the past, -32603 if the approval cannot be
    /// stored or audited.
    pub async fn grant(
        &self,
        server_id: &str,
        permission: &Permission,
        by: &Principal,
        expires_at: Option<Timestamp>,
    ) -> Result<PermissionRow, ErrorObject> {
        self.grant_within(server_id, permission, by, expires_at, None).await
    }

    /// Approves a permission of a server within limits, which confinement enforces. The approval is in force when this method returns. A
    /// running process keeps the limits that it was started with.
    ///
    /// # Errors
    /// Those of [`grant`](Self::grant), and -32602 for limits that the permission does not have.
    pub async fn grant_within(
        &self,
        server_id: &str,
        permission: &Permission,
        by: &Principal,
        expires_at: Option<Timestamp>,
        scope: Option<GrantScope>,
    ) -> Result<PermissionRow, ErrorObject> {
        let row = self.granted(server_id, permission, by, expires_at, scope)?;
        self.decide(AuditEventType::PermissionGranted, by, &row, ReplacedRows::All).await?;
        Ok(row)
    }

    /// Approves a permission of a server as [`grant_within`](Self::grant_within) does, unless it is decided already. An expired approval
    /// does not count as a decision.
    ///
    /// # Errors
    /// [`OpenDecisionError::Decided`] with the decision that was first; otherwise the errors of [`grant_within`](Self::grant_within).
    pub async fn grant_open(
        &self,
        server_id: &str,
        permission: &Permission,
        by: &Principal,
        expires_at: Option<Timestamp>,
        scope: Option<GrantScope>,
    ) -> Result<PermissionRow, OpenDecisionError<PermissionRow>> {
        let row = self.granted(server_id, permission, by, expires_at, scope)?;
        self.decide_open(AuditEventType::PermissionGranted, by, row).await
    }

    /// Returns the row of an approval that is not stored yet.
    fn granted(
        &self,
        server_id: &str,
        permission: &Permission,
        by: &Principal,
        expires_at: Option<Timestamp>,
        scope: Option<GrantScope>,
    ) -> Result<PermissionRow, ErrorObject> {
        admin(by)?;
        if let Some(sentence) = self.config_only(server_id) {
            return Err(ErrorCode::PermissionDenied.error(sentence));
        }
        expires_at.map_or(Ok(()), |end| still_to_come(end, (self.0.clock)()))?;
        let checked = scope.as_ref().map_or(Ok(()), |scope| scope.check(permission));
        checked.map_err(|error| ErrorObject::invalid_params(error.to_string()))?;
        let row = self.question(server_id, permission);
        Ok(row.decided(PermissionState::Approved, by.id(), expires_at).limited(scope))
    }

    /// Denies a permission of a server. The denial is in force when this method returns.
    ///
    /// # Errors
    /// 1000 without the admin role, -32603 if the denial cannot be stored or audited.
    pub async fn deny(
        &self,
        server_id: &str,
        permission: &Permission,
        by: &Principal,
    ) -> Result<PermissionRow, ErrorObject> {
        admin(by)?;
        let row = self.question(server_id, permission).decided(PermissionState::Denied, by.id(), None);
        self.decide(AuditEventType::PermissionDenied, by, &row, ReplacedRows::All).await?;
        Ok(row)
    }

    /// Denies a permission of a server, unless it is decided already. An expired approval does not count as a decision.
    ///
    /// # Errors
    /// [`OpenDecisionError::Decided`] with the decision that was first; otherwise the errors of [`deny`](Self::deny).
    pub async fn deny_open(
        &self,
        server_id: &str,
        permission: &Permission,
        by: &Principal,
    ) -> Result<PermissionRow, OpenDecisionError<PermissionRow>> {
        admin(by)?;
        let row = self.question(server_id, permission).decided(PermissionState::Denied, by.id(), None);
        self.decide_open(AuditEventType::PermissionDenied, by, row).await
    }

    /// Revokes a decision, and returns it if it existed. The next call asks again.
    ///
    /// # Errors
    /// 1000 without the admin role, -32603 if the decision cannot be removed, or its removal audited.
    pub async fn revoke(
        &self,
        server_id: &str,
        permission: &Permission,
        by: &Principal,
    ) -> Result<Option<PermissionRow>, ErrorObject> {
        admin(by)?;
        let draft = |row: &PermissionRow| {
            let denied = row.state == PermissionState::Denied;
            let event_type = if denied { DENIAL_REVOKED.into() } else { AuditEventType::PermissionRevoked };
            settle::draft(event_type, by, row)
        };
        // Recorded after the removal, so that a revocation holds even if the trail cannot be written.
        let row = match self.0.store.remove(server_id, permission).await {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(None),
            Err(error) => {
                let failed = draft(&self.question(server_id, permission)).failed(&error);
                self.0.record(failed).await.map_err(internal)?;
                return Err(internal(error));
            }
        };
        let reloaded = self.0.reload().await;
        if matches!(row.state, PermissionState::Approved | PermissionState::Denied) {
            self.0.record(draft(&row)).await.map_err(internal)?;
        }
        reloaded.map_err(internal)?;
        Ok(Some(row))
    }

    fn question(&self, server_id: &str, permission: &Permission) -> PermissionRow {
        self.0.row(server_id, permission).map_or_else(
            || PermissionRow::question(server_id, permission, None),
            |row| PermissionRow::clone(&row),
        )
    }

    /// Stores a decision if the permission is still undecided.
    async fn decide_open(
        &self,
        event_type: AuditEventType,
        by: &Principal,
        row: PermissionRow,
    ) -> Result<PermissionRow, OpenDecisionError<PermissionRow>> {
        let (server_id, permission) = (&*row.server_id, &row.permission);
        if let Some(end) = self.0.standing(server_id, permission).ran_out {
            // Until its end is noted, the row is an approval, which would not give way.
            settle::expire(&self.0, server_id, permission, end).await.map_err(internal)?;
        }
        if self.decide(event_type, by, &row, ReplacedRows::Questions).await? {
            return Ok(row);
        }
        let there = self.rows().await.map_err(internal)?.into_iter();
        let first = there
            .filter(|other| other.server_id == row.server_id)
            .find(|other| other.permission == row.permission);
        Err(first.map_or_else(|| moved(&row).into(), |first| OpenDecisionError::Decided(Box::new(first))))
    }

    /// Stores a decision if `replaces` covers the existing row. Returns whether the decision was stored.
    async fn decide(
        &self,
        event_type: AuditEventType,
        by: &Principal,
        row: &PermissionRow,
        replaces: ReplacedRows,
    ) -> Result<bool, ErrorObject> {
        let event = settle::draft(event_type, by, row);
        self.0.decide(row.clone(), replaces, event).await.map_err(internal)
    }
}

/// Returns the error of a permission whose row was decided, and is gone or unreadable now.
fn moved(row: &PermissionRow) -> ErrorObject {
    ErrorObject::invalid_params(format!(
        "{} of server {:?} was decided meanwhile, and that decision is gone or cannot be read: see `mgp approve --all`, and decide again",
        row.permission, row.server_id
    ))
}

fn too_many(server_id: &str) -> ErrorObject {
    ErrorCode::ResourceExhausted.error(format!(
        "{} permissions of server {server_id:?} wait for a decision already: `mgp approve` shows them, `mgp approve {server_id} --deny` denies \
         them all",
        settle::MAX_OPEN_OF_SERVER
    ))
}

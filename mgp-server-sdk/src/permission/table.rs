//! The decisions that one session's client has reported.

use jiff::Timestamp;
use mgp_types::{
    json::{RawJson, RawObject},
    permission::{GrantValue, Permission, PermissionDecision, PermissionState},
    rpc::ErrorObject,
};
use parking_lot::Mutex;
use std::{collections::BTreeMap, sync::Arc};

/// The most permissions whose decisions are kept for one session.
const MOST: usize = 256;

/// The decisions that one session's client has reported, among the session's values. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct DecisionTable(Arc<Mutex<BTreeMap<Permission, Decision>>>);

/// The decision on one permission.
#[derive(Debug, Clone)]
struct Decision {
    value: GrantValue,
    expires_at: Option<Timestamp>,
    scope: Option<RawJson>,
}

impl DecisionTable {
    /// Records that decisions on permissions are pending. Earlier decisions stay until new ones are reported.
    ///
    /// # Errors
    /// Returns -32602 for a name that is not a permission, or for too many.
    pub(super) fn await_decisions(&self, names: &[String]) -> Result<(), ErrorObject> {
        let deferred = names.iter().map(|name| Ok((parse(name, "permissions")?, GrantValue::Deferred)));
        let deferred: Vec<_> = deferred.collect::<Result<_, ErrorObject>>()?;
        let mut decisions = self.0.lock();
        room(&decisions, deferred.iter().map(|(permission, _)| permission), "permissions")?;
        for (permission, value) in deferred {
            decisions.entry(permission).or_insert(Decision { value, expires_at: None, scope: None });
        }
        Ok(())
    }

    /// Records decisions. Decisions on other permissions are kept.
    ///
    /// # Errors
    /// Returns -32602 for a name that is not a permission, an invalid time, or too many permissions.
    pub(super) fn decide(&self, decision: &PermissionDecision) -> Result<(), ErrorObject> {
        let of_all = decision.expires_at.get().map(|time| parse_time(time)).transpose()?;
        let expires_at = |name: &str| match decision.expirations.get(name) {
            Some(time) => parse_time(time).map(Some),
            None => Ok(of_all),
        };
        let scope =
            |name: &str| decision.scope.as_ref().and_then(|scope: &RawObject| scope.get(name).cloned());
        let decided = decision.grants.iter().map(|(name, value)| {
            let (value, expires_at) = (*value, expires_at(name)?);
            Ok((parse(name, "grants")?, Decision { value, expires_at, scope: scope(name) }))
        });
        let decided: Vec<_> = decided.collect::<Result<_, ErrorObject>>()?;
        let mut decisions = self.0.lock();
        room(&decisions, decided.iter().map(|(permission, _)| permission), "grants")?;
        decisions.extend(decided);
        Ok(())
    }

    /// Returns the state of a permission at a time; `None` if the client has not reported it.
    pub(super) fn state(&self, permission: &Permission, now: Timestamp) -> Option<PermissionState> {
        let decisions = self.0.lock();
        let decision = decisions.get(permission)?;
        let has_expired =
            decision.value == GrantValue::Approved && decision.expires_at.is_some_and(|end| end <= now);
        Some(if has_expired { PermissionState::Expired } else { decision.value.into() })
    }

    pub(super) fn scope(&self, permission: &Permission) -> Option<RawJson> {
        self.0.lock().get(permission)?.scope.clone()
    }
}

fn parse_time(time: &str) -> Result<Timestamp, ErrorObject> {
    time.parse().map_err(|error| {
        let shown: String = time.chars().take(64).collect();
        let expected = "expected an RFC 3339 time";
        ErrorObject::invalid_params(format!("invalid expires_at {shown:?}: {expected}: {error}"))
    })
}

fn parse(name: &str, field: &str) -> Result<Permission, ErrorObject> {
    name.parse().map_err(|error| ErrorObject::invalid_params(format!("invalid {field}: {error}")))
}

/// Checks that there is room for the decisions on permissions.
fn room<'a>(
    decisions: &BTreeMap<Permission, Decision>,
    told: impl Iterator<Item = &'a Permission>,
    field: &str,
) -> Result<(), ErrorObject> {
    let new = told.filter(|permission| !decisions.contains_key(permission)).count();
    if decisions.len() + new > MOST {
        return Err(ErrorObject::invalid_params(format!(
            "invalid {field}: {new} more permissions: expected at most {MOST} in one session"
        )));
    }
    Ok(())
}

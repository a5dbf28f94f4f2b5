//! Applies another configuration.

use super::difference::configuration_change;
use crate::{
    ConfigurationError, ServerSpec,
    boot::{
        applied::AppliedConfiguration,
        configured::{ConfiguredParts, check},
        grants::ConfiguredGrants,
    },
    features::{
        instances::Instances, registration::RegisteredServers, server_set::ServerSet,
        session_states::SessionStates,
    },
};
use mgp_discovery::config::{Config, OnOutage};
use mgp_security::{
    access::AccessPolicy,
    audit::EventDraft,
    limits::{Limits, quota::Quotas},
};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::Principal,
    lifecycle::{ConfigurationChange, ShutdownReason},
};
use std::sync::Arc;

/// The type of the event of a kernel that applied another configuration.
const CONFIGURATION_RELOADED: &str = "dev.cloto.mgp.CONFIGURATION_RELOADED";

/// The key of the policy file, whose content a change may replace.
const POLICY_FILE: &str = "access.policy_file";

/// The reason why a kernel keeps its current configuration. Nothing has changed then, except after [`Grants`](Self::Grants).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadError {
    /// The configuration cannot be applied.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// The id of a new server is taken.
    #[error(
        "server {0:?} is registered in addition to the configuration: `mgp servers remove {0}` frees its id"
    )]
    Registered(String),
    /// The id of a new server is that of a server of the program.
    #[error(
        "server {0:?} is one of the program's own (`KernelBuilder::server`): give the new one another id"
    )]
    OfProgram(String),
    /// A server of this id is still being stopped.
    #[error("server {0:?} is still being stopped: reload again when it is gone")]
    Leaving(String),
    /// The configuration has too many servers.
    #[error(
        "{found} servers: expected at most {limit} (kernel.limits.max_servers at the start of the gateway)"
    )]
    TooMany {
        /// The number of servers.
        found: usize,
        /// The maximum number of servers.
        limit: usize,
    },
    /// The change could not be recorded.
    #[error("the audit trail cannot be written")]
    Unrecorded,
    /// The new grants could not be added. Everything else is applied.
    #[error(
        "access.grants: {0}; the rest of the configuration is applied: reload again once the cause is fixed"
    )]
    Grants(String),
}

/// The parts of a kernel that another configuration changes.
pub(in crate::boot) struct Reload {
    pub(in crate::boot) set: Arc<ServerSet>,
    pub(in crate::boot) registered: Arc<RegisteredServers>,
    pub(in crate::boot) grants: Arc<ConfiguredGrants>,
    pub(in crate::boot) limits: Limits,
    pub(in crate::boot) quotas: Quotas,
    pub(in crate::boot) instances: Instances,
    pub(in crate::boot) session_states: SessionStates,
    pub(in crate::boot) applied: AppliedConfiguration,
}

impl Reload {
    /// Applies another configuration, by the difference from the current one, and another policy of access.
    pub(in crate::boot) async fn reconfigure(
        &self,
        config: &Config,
        policy: Option<Arc<dyn AccessPolicy>>,
        by: &Principal,
    ) -> Result<ConfigurationChange, ReloadError> {
        let _turn = self.registered.turn.lock().await;
        let applied = &self.applied;
        check(config, &applied.servers)?;
        let derived = ConfiguredParts::new(config, &applied.servers, &applied.credentials)?;
        let before = applied.now.lock().clone();
        let mut change = configuration_change(&applied.started, &before, config);
        if policy.is_some() {
            change.applied.push(POLICY_FILE.to_owned());
        }
        self.may_change(&change, derived.servers.len())?;
        // Rights are narrowed before anything starts, and widened last.
        let narrowed = self.grants.narrow(&config.access.grants).await;
        let narrowed = narrowed
            .map_err(|error| ConfigurationError::Value(format!("access.grants: {}", error.message)))?;
        if before == *config && policy.is_none() {
            // The last change may have failed to add the grants.
            return narrowed
                .widen()
                .await
                .map(|()| change)
                .map_err(|error| ReloadError::Grants(error.message));
        }
        let event = EventDraft::new(AuditEventType::from(CONFIGURATION_RELOADED), by)
            .result(AuditResult::Success)
            .detail("added", &change.added)
            .detail("removed", &change.removed)
            .detail("restarted", &change.restarted)
            .detail("applied", &change.applied)
            .detail("needs_restart", &change.needs_restart);
        if let Err(error) = self.set.rights.trail.sink.record(event.finish()).await {
            tracing::error!(%error, "the configuration is not applied, because the change could not be recorded");
            narrowed.restore().await;
            return Err(ReloadError::Unrecorded);
        }
        if let Some(policy) = policy {
            self.set.rights.access.set_policy(policy);
        }
        self.set.rights.permissions.set_rules(derived.rules);
        self.limits.set_trusts_snapshot(config.store.on_outage == OnOutage::Snapshot);
        self.limits.set_rules(&derived.limits);
        self.quotas.set_rules(&derived.limits, &derived.costs);
        self.registered.registrar.set_configured(derived.ids);
        for spec in &derived.servers {
            self.set.rights.access.configure_server(&spec.id, spec.default_policy, spec.trust);
        }
        // Also notifies the hosts of changed default policies.
        self.set.rights.access.set_roles(&config.roles());
        self.set.rights.access.set_trusts_snapshot(config.store.on_outage == OnOutage::Snapshot);
        for id in &change.removed {
            if let Some(server) = self.configured_server(id) {
                self.set.remove(&server, ShutdownReason::OperatorRequest);
            }
        }
        let order: Vec<String> = derived.servers.iter().map(|spec| spec.id.clone()).collect();
        for spec in derived.servers {
            self.take(spec, &change).await;
        }
        self.arrange(&order).await;
        *applied.now.lock() = config.clone();
        applied.needs_restart.lock().clone_from(&change.needs_restart);
        narrowed.widen().await.map_err(|error| ReloadError::Grants(error.message))?;
        Ok(change)
    }

    async fn take(&self, spec: ServerSpec, change: &ConfigurationChange) {
        if change.added.contains(&spec.id) {
            self.begin(spec).await;
        } else if change.restarted.contains(&spec.id)
            && let Some(server) = self.configured_server(&spec.id)
        {
            self.replace(&server, spec).await;
        }
    }

    /// Refuses a change that cannot be made as a whole.
    fn may_change(&self, change: &ConfigurationChange, servers: usize) -> Result<(), ReloadError> {
        let limit = self.registered.registrar.limit();
        if servers > limit {
            return Err(ReloadError::TooMany { found: servers, limit });
        }
        for id in &change.added {
            if self.applied.servers.iter().any(|spec| spec.id == *id) {
                return Err(ReloadError::OfProgram(id.clone()));
            }
            if self.registered.registrar.registrations().find(id).is_some() {
                return Err(ReloadError::Registered(id.clone()));
            }
            if self.set.servers.has(id) {
                return Err(ReloadError::Leaving(id.clone()));
            }
        }
        Ok(())
    }
}
